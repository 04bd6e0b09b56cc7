package dev.millrace.webapp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The behaviour of the WAR in every container. Each case runs on each of the container's ports. */
abstract class DeployedContract {
    private static final Pattern CATALOG_FILE =
            Pattern.compile("\\{\"name\":\"([^\"]+)\",\"size\":(\\d+),\"md5\":\"(\\w+)\"}");
    private static final String FILE = "/files/200KB.bin";
    private static final int SIZE = 200 << 10;

    /** What a 404 is, by its media type. */
    private static final Map<String, String> ERRORS = Map.of(
            "text/html",
            ErrorFormat.HTML.write(Problem.of(404, ""), ""),
            "application/problem+json",
            "{\"title\":\"Not Found\",\"status\":404,\"detail\":\"Nothing is served at this address.\"}",
            "application/problem+xml",
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<problem xmlns=\"urn:ietf:rfc:7807\"><title>Not Found</title>"
                    + "<status>404</status><detail>Nothing is served at this address.</detail></problem>\n",
            "text/plain",
            "404 Not Found\nNothing is served at this address.\n");

    /** The way in which {@code /download} sends a file, by its name in {@code /stats}. */
    enum Delivered {
        BY_X_SENDFILE("byXSendfile"),
        STREAMED("streamed");

        private final String figure;

        Delivered(String figure) {
            this.figure = figure;
        }
    }

    abstract Delivered delivered();

    /** The addresses of the container's ports. */
    abstract List<String> urls() throws Exception;

    @Test
    void saysHello() throws Exception {
        for (String url : urls()) {
            Http.Answer answer = Http.get(url, "/hello");
            assertEquals("Hello, World!", answer.text());
            assertEquals("13", answer.header("Content-Length"));
            assertEquals(
                    "text/plain;charset=utf-8", answer.header("Content-Type").toLowerCase(Locale.ROOT));
        }
    }

    @Test
    void showsThePage() throws Exception {
        for (String url : urls()) {
            Http.Answer answer = Http.get(url, "/");
            assertEquals(200, answer.status());
            assertTrue(answer.text().contains("<title>Millrace</title>"), answer.text());
        }
    }

    @Test
    void everyFileOfTheCatalogueHasItsBytes() throws Exception {
        assertCatalogs(urls());
    }

    /** Files of one MD5 are compared with the first of them: to sum each up would take longer than to send it. */
    static void assertCatalogs(Iterable<String> urls) throws Exception {
        Map<String, byte[]> known = new HashMap<>();
        for (String url : urls) {
            String catalog = Http.get(url, "/files/catalog.json").text();
            List<MatchResult> files = CATALOG_FILE.matcher(catalog).results().toList();
            assertEquals(SampleFiles.SIZES.size(), files.size());
            for (MatchResult file : files) {
                Http.Answer answer = Http.get(url, "/files/" + file.group(1));
                assertEquals(200, answer.status());
                assertEquals(file.group(2), answer.header("Content-Length"));
                if (known.putIfAbsent(file.group(3), answer.body()) == null) {
                    assertEquals(file.group(3), answer.md5());
                }
                assertTrue(Arrays.equals(known.get(file.group(3)), answer.body()), file.group(1) + " of " + url);
            }
        }
    }

    @Test
    void downloadsAreTheFilesAsAttachments() throws Exception {
        for (String url : urls()) {
            Http.Answer answer = Http.get(url, "/download?name=1MB.bin");
            assertEquals(Http.get(url, "/files/1MB.bin").md5(), answer.md5());
            assertEquals("attachment; filename*=UTF-8''1MB.bin", answer.header("Content-Disposition"));
        }
    }

    @Test
    void downloadsGoInTheServersWay() throws Exception {
        for (String url : urls()) {
            String before = Http.get(url, "/stats").text();
            Http.Answer answer = Http.get(url, "/download?name=1MB.bin");
            String after = Http.get(url, "/stats").text();
            assertEquals(null, answer.header("X-Sendfile"));
            for (Delivered way : Delivered.values()) {
                assertEquals(
                        way == delivered() ? 1 : 0,
                        figure(after, "", way.figure) - figure(before, "", way.figure),
                        way.figure);
            }
        }
    }

    /** A figure of a listener; of the whole server if the name is empty. */
    static long figure(String stats, String listener, String name) {
        String where = listener.isEmpty() ? "" : "\"name\":\"" + listener + "\".*?";
        Pattern figure = Pattern.compile(where + "\"" + name + "\":(\\d+)");
        MatchResult found = figure.matcher(stats).results().findFirst().orElseThrow(() -> new AssertionError(stats));
        return Long.parseLong(found.group(1));
    }

    /** Waits until a figure has a value, because it may be counted shortly after the client has all bytes. */
    static void awaitFigure(String url, String listener, String name, long value) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        long now = figure(Http.get(url, "/stats").text(), listener, name);
        while (now != value && System.nanoTime() < end) {
            now = figure(Http.get(url, "/stats").text(), listener, name);
        }
        assertEquals(value, now, listener + " " + name);
    }

    /** Browsers show the first document and validate documents by the second, so that both need their media types. */
    @Test
    void describesTheServiceUnderTheRightTypes() throws Exception {
        for (String url : urls()) {
            assertTypes(url);
        }
    }

    static void assertTypes(String url) throws Exception {
        Http.Answer openApi = Http.get(url, "/openapi.yaml");
        assertEquals(200, openApi.status());
        assertEquals("application/yaml", type(openApi));
        assertTrue(openApi.text().contains("openapi: 3."), openApi.text());
        Http.Answer schema = Http.get(url, "/uuid.xsd");
        assertEquals(200, schema.status());
        assertEquals("application/xml", type(schema));
        assertTrue(schema.text().contains("http://www.w3.org/2001/XMLSchema"), schema.text());
        assertEquals("text/javascript", type(Http.get(url, "/page.js")));
        assertEquals("text/css", type(Http.get(url, "/page.css")));
    }

    private static String type(Http.Answer answer) {
        return String.valueOf(answer.header("Content-Type")).replaceAll(";.*", "");
    }

    @ParameterizedTest
    @CsvSource({
        "bytes=0-0,206,0,1",
        "bytes=1000-1999,206,1000,1000",
        "bytes=-5,206,204795,5",
        "bytes=204799-,206,204799,1",
        "bytes=204800-,416,0,0"
    })
    void servesSingleRanges(String range, int status, int start, int length) throws Exception {
        for (String url : urls()) {
            byte[] whole = Http.get(url, FILE).body();
            for (String target : List.of(FILE, "/download?name=200KB.bin")) {
                Http.Answer answer = Http.get(url, target, "Range: " + range);
                assertEquals(status, answer.status());
                if (status == 416) {
                    assertEquals("bytes */" + SIZE, answer.header("Content-Range"));
                    continue;
                }
                if (status == 206) {
                    assertEquals(
                            "bytes " + start + "-" + (start + length - 1) + "/" + SIZE, answer.header("Content-Range"));
                }
                assertEquals(Integer.toString(length), answer.header("Content-Length"));
                assertEquals(-1, Arrays.mismatch(answer.body(), Arrays.copyOfRange(whole, start, start + length)));
            }
        }
    }

    /** RFC 9110 section 14.2 allows both. */
    @Test
    void ignoresOrRejectsWhatIsNoRange() throws Exception {
        for (String url : urls()) {
            for (String target : List.of(FILE, "/download?name=200KB.bin")) {
                Http.Answer answer = Http.get(url, target, "Range: bytes=9-1");
                assertTrue(
                        answer.status() == 416 || (answer.status() == 200 && answer.body().length == SIZE),
                        target + " " + answer.status());
            }
        }
    }

    @Test
    void headSaysWhatGetWould() throws Exception {
        for (String url : urls()) {
            for (String target : List.of(FILE, "/download?name=200KB.bin", "/hello", "/files/catalog.json")) {
                Http.Answer get = Http.get(url, target);
                Http.Answer head = Http.send(url, "HEAD", target, "");
                assertEquals(get.status(), head.status());
                for (String field : List.of("content-length", "content-type", "etag", "last-modified")) {
                    assertEquals(get.header(field), head.header(field), target + " " + field);
                }
                assertEquals(0, head.body().length);
            }
        }
    }

    @Test
    void answersConditionalRequests() throws Exception {
        for (String url : urls()) {
            for (String target : List.of(FILE, "/download?name=200KB.bin")) {
                Http.Answer first = Http.get(url, target);
                String etag = first.header("ETag");
                String modified = first.header("Last-Modified");
                assertEquals(
                        304, Http.get(url, target, "If-None-Match: " + etag).status());
                assertEquals(
                        304,
                        Http.get(url, target, "If-None-Match: \"x\", " + etag).status());
                assertEquals(
                        304,
                        Http.get(url, target, "If-Modified-Since: " + modified).status());
                assertEquals(200, Http.get(url, target, "If-None-Match: \"x\"").status());
                assertEquals(
                        200,
                        Http.get(url, target, "If-None-Match: \"x\"", "If-Modified-Since: " + modified)
                                .status());
                assertEquals(412, Http.get(url, target, "If-Match: \"x\"").status());
                assertEquals(
                        412,
                        Http.get(url, target, "If-Unmodified-Since: Wed, 31 Dec 1980 00:00:00 GMT")
                                .status());
                assertEquals(
                        206,
                        Http.get(url, target, "Range: bytes=0-9", "If-Range: " + modified)
                                .status());
                assertEquals(
                        200,
                        Http.get(url, target, "Range: bytes=0-9", "If-Range: \"x\"")
                                .status());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/files/../WEB-INF/web.xml",
                "/files/%2e%2e/WEB-INF/web.xml",
                "/files/..%2fWEB-INF/web.xml",
                "/files/%252e%252e/WEB-INF/web.xml",
                "/files/..%5cWEB-INF%5cweb.xml",
                "/files//etc/passwd",
                "/files/missing",
                "/files/%00",
                "/WEB-INF/web.xml",
                "/WEB-INF/server/slf4j-api-2.0.17.jar",
                "/META-INF/MANIFEST.MF",
                "/download?name=../WEB-INF/web.xml",
                "/download?name=%2Fetc%2Fpasswd",
                "/download?name=..%2F..%2Fetc%2Fpasswd",
                "/download?name=missing",
                "/download?name=",
                "/download",
                "/nothing-here",
                "/dev/",
                "/files/"
            })
    void refusesWhatItDoesNotServe(String target) throws Exception {
        for (String url : urls()) {
            Http.Answer answer = Http.get(url, target);
            assertTrue(answer.status() >= 400 && answer.status() < 500, target + " " + answer.status());
            assertFalse(answer.text().contains("root:") || answer.text().contains("<web-app"), answer.text());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "text/html, text/html",
        "'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', text/html",
        "*/*, text/html",
        "image/png, text/html",
        "application/json, application/problem+json",
        "application/problem+json, application/problem+json",
        "text/xml, application/problem+xml",
        "'application/json;q=0.5, application/xml', application/problem+xml",
        "text/plain, text/plain"
    })
    void explainsErrorsInTheFormatThatIsAskedFor(String accept, String type) throws Exception {
        for (String url : urls()) {
            for (String target : List.of("/nothing-here", "/files/missing", "/download?name=missing")) {
                Http.Answer answer = Http.get(url, target, "Accept: " + accept);
                assertEquals(404, answer.status(), target);
                assertEquals(type, type(answer), target);
                assertEquals("Accept", answer.header("Vary"), target);
                assertEquals(ERRORS.get(type), answer.text(), target);
            }
        }
    }

    @Test
    void errorsSayWhatWasWrong() throws Exception {
        for (String url : urls()) {
            Http.Answer missing = Http.get(url, "/download", "Accept: application/json");
            assertEquals(
                    "{\"title\":\"Bad Request\",\"status\":400,\"detail\":\"parameter name is missing\"}",
                    missing.text());
            Http.Answer post = Http.send(url, "POST", "/hello", "x", "Accept: application/xml");
            assertEquals(405, post.status());
            assertTrue(post.text().contains("<title>Method Not Allowed</title><status>405</status>"), post.text());
            for (String target : List.of("/hello", "/stats", FILE)) {
                for (String method : List.of("POST", "PUT", "DELETE")) {
                    // RFC 9110 section 15.5.6
                    String allowed = Http.send(url, method, target, "x").header("Allow");
                    assertTrue(allowed != null && allowed.matches("GET, HEAD,.*"), method + target + ": " + allowed);
                }
            }
            Http.Answer direct = Http.get(url, "/error", "Accept: text/plain");
            assertEquals(404, direct.status());
            assertEquals(ERRORS.get("text/plain"), direct.text());
            Http.Answer head = Http.send(url, "HEAD", "/nothing-here", "", "Accept: application/json");
            assertEquals("application/problem+json", type(head));
            assertEquals(0, head.body().length);
        }
    }

    @Test
    void describesItself() throws Exception {
        for (String url : urls()) {
            Http.Answer words = Http.get(url, "/web-application.md");
            assertEquals(200, words.status());
            assertEquals(
                    "text/plain;charset=utf-8",
                    words.header("Content-Type").toLowerCase(Locale.ROOT).replace(" ", ""));
            assertTrue(words.text().startsWith("# The sample web application"), words.text());
        }
    }

    @Test
    void makesUuids() throws Exception {
        for (String url : urls()) {
            Http.Answer get = Http.get(url, "/generate-uuid?method=NAME&name=millrace&count=1");
            assertEquals(200, get.status());
            assertEquals(
                    "text/xml;charset=utf-8",
                    get.header("Content-Type").toLowerCase(Locale.ROOT).replace(" ", ""));
            Http.Answer post = Http.send(
                    url,
                    "POST",
                    "/generate-uuid",
                    "<request><generate-uuid method='RANDOM'/>" + "<generate-uuid method='TIME' count='3'/></request>",
                    "Content-Type: text/xml");
            assertEquals(200, post.status());
            assertEquals(4, post.text().split("<uuid>").length - 1, post.text());
            assertEquals(422, Http.get(url, "/generate-uuid?count=0").status());
            Http.Answer json = Http.send(
                    url,
                    "POST",
                    "/generate-uuid",
                    "{\"generate-uuid\":[{\"method\":\"name\",\"name\":\"millrace\"}]}",
                    "Content-Type: application/json");
            assertEquals(200, json.status(), json.text());
            assertTrue(json.text().startsWith("{\"uuids\":[\""), json.text());
        }
    }

    @Test
    void streamsFiguresAsEvents() throws Exception {
        for (String event : Http.firstTwoEvents(urls(), "/stats")) {
            assertTrue(event.startsWith("{\"timeMillis\":"), event);
        }
    }

    @Test
    void showsFigures() throws Exception {
        for (String url : urls()) {
            Http.Answer answer = Http.get(url, "/stats");
            assertEquals("application/json", answer.header("Content-Type").replaceAll(";.*", ""));
            for (String name : List.of("timeMillis", "uptimeMillis", "cpuMillis", "processors", "listeners")) {
                assertTrue(answer.text().contains("\"" + name + "\":"), answer.text());
            }
        }
    }
}
