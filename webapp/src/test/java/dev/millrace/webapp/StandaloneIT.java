package dev.millrace.webapp;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The WAR as a program with all three listeners. Each URL must get the same response on every port. */
class StandaloneIT {
    private static final String FILE = "/files/1MB.bin";
    private static final List<String> LISTENERS = List.of("BIO", "NIO", "STOCK");
    private static final List<String> FIELDS_THAT_MATTER = List.of(
            "content-type",
            "content-length",
            "etag",
            "last-modified",
            "accept-ranges",
            "content-range",
            "content-disposition",
            "cache-control",
            "allow",
            "location",
            "vary",
            "content-encoding",
            "transfer-encoding");

    @TempDir
    static Path temporary;

    private static ServerProcess server;

    @BeforeAll
    static void start() throws IOException {
        server = ServerProcess.war(temporary, "--bio-port=0", "--nio-port=0", "--stock-port=0");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    /** Method, target, and header fields, separated by bars. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET|/",
                "HEAD|/",
                "GET|/hello",
                "HEAD|/hello",
                "POST|/hello",
                "PUT|/hello|Accept: application/json",
                "GET|/nothing-here|Accept: application/problem+xml",
                "GET|/files/missing|Accept: application/json",
                "GET|/error",
                "GET|/web-application.md",
                "GET|/nothing-here",
                "GET|/files/catalog.json",
                "HEAD|/files/catalog.json",
                "GET|/files/1KB.bin",
                "HEAD|/files/1KB.bin",
                "GET|/files/200KB.bin",
                "GET|/files/500KB.bin",
                "GET|/files/1MB.bin",
                "GET|/files/20MB.bin",
                "HEAD|/files/100MB.bin",
                "GET|/files/100MB.bin",
                "GET|/files/",
                "GET|/files",
                "GET|/files/missing",
                "GET|/files/1KB.bin/",
                "POST|/files/1KB.bin",
                "OPTIONS|/files/1KB.bin",
                "GET|/files/1MB.bin|Range: bytes=0-0",
                "GET|/files/1MB.bin|Range: bytes=1000-99999",
                "GET|/files/1MB.bin|Range: bytes=-1000",
                "GET|/files/1MB.bin|Range: bytes=1048576-",
                "GET|/files/1MB.bin|Range: bytes=5-1",
                "GET|/files/1MB.bin|Range: bytes=x",
                "HEAD|/files/1MB.bin|Range: bytes=0-9",
                "GET|/files/1MB.bin|If-Modified-Since: Thu, 01 Jan 2009 00:00:00 GMT",
                "GET|/files/1MB.bin|If-Modified-Since: Wed, 31 Dec 2008 23:59:59 GMT",
                "GET|/files/1MB.bin|If-Unmodified-Since: Wed, 31 Dec 2008 23:59:59 GMT",
                "GET|/files/1MB.bin|If-None-Match: *",
                "GET|/files/1MB.bin|If-Match: \"other\"",
                "GET|/files/1MB.bin|Range: bytes=0-9|If-Range: Thu, 01 Jan 2009 00:00:00 GMT",
                "GET|/files/../hello",
                "GET|/files/%2e%2e/hello",
                "GET|/files/..%2fhello",
                "GET|/files//1KB.bin",
                "GET|/files/%00",
                "GET|/WEB-INF/web.xml",
                "GET|/dev/",
                "GET|/download?name=1KB.bin",
                "HEAD|/download?name=100MB.bin",
                "GET|/download?name=1MB.bin|Range: bytes=7-8",
                "GET|/page.js",
                "GET|/page.css",
                "GET|/openapi.yaml",
                "GET|/uuid.xsd",
                "GET|/generate-uuid?method=NAME&name=a&count=2",
                "GET|/generate-uuid?count=0",
                "PUT|/generate-uuid",
                "GET|/message?bytes=0",
                "GET|/message?bytes=1000",
                "HEAD|/message?bytes=9",
                "GET|/message?bytes=1000000",
                "GET|/message?bytes=67108865",
                "GET|/message?bytes=-1",
                "GET|/message?bytes=x",
                "GET|/message",
                "GET|/download",
                "GET|/download?name=",
                "GET|/download?name=../webapp/index.html",
                "GET|/download?name=%2Fetc%2Fpasswd",
                "GET|/download?name=missing"
            })
    void allListenersGiveTheSameAnswer(String request) throws Exception {
        String[] parts = request.split("\\|");
        String[] fields = List.of(parts).subList(2, parts.length).toArray(String[]::new);
        Map<String, String> seen = new TreeMap<>();
        for (String listener : LISTENERS) {
            String url = server.url(listener);
            Http.Answer answer = Http.send(url, parts[0], parts[1], "", fields);
            seen.put(listener, describe(answer, url));
        }
        String control = seen.get("STOCK");
        assertAll(seen.entrySet().stream()
                .map(entry -> () -> assertEquals(control, entry.getValue(), entry.getKey() + " " + request)));
    }

    // RFC 9110 section 13.1.5: a file that has changed is sent whole. Jetty ignores the condition.
    @Test
    void millraceSendsAChangedFileWhole() throws Exception {
        for (String listener : List.of("BIO", "NIO")) {
            Http.Answer answer = Http.get(
                    server.url(listener),
                    "/files/1MB.bin",
                    "Range: bytes=0-9",
                    "If-Range: Wed, 31 Dec 2008 00:00:00 GMT");
            assertEquals(200, answer.status(), listener);
            assertEquals("1048576", answer.header("content-length"), listener);
        }
    }

    private static String describe(Http.Answer answer, String url) {
        StringBuilder description = new StringBuilder().append(answer.status());
        FIELDS_THAT_MATTER.forEach(
                name -> description.append('\n').append(name).append(": ").append(answer.header(name)));
        // Jetty's error page contains the requested URL, and so the port.
        String body = answer.status() >= 400 ? answer.text().replace(url, "") : answer.md5();
        return description.append("\nbody: ").append(body).toString();
    }

    /** Jetty itself sends no content with errors of other methods, and a page of its own for a malformed address. */
    @Test
    void explainsErrorsOfAllMethodsAndAddresses() throws Exception {
        for (String listener : LISTENERS) {
            String url = server.url(listener);
            Http.Answer put = Http.send(url, "PUT", "/hello", "x", "Accept: application/json");
            assertEquals(405, put.status());
            assertEquals("GET, HEAD, OPTIONS", put.header("Allow"));
            assertTrue(put.text().startsWith("{\"title\":\"Method Not Allowed\",\"status\":405"), put.text());
            Http.Answer ambiguous = Http.get(url, "/a%2fb", "Accept: application/json");
            assertEquals(400, ambiguous.status());
            assertEquals("{\"title\":\"Bad Request\",\"status\":400}", ambiguous.text());
            assertEquals("application/problem+json", ambiguous.header("Content-Type"));
            // Here Jetty does not read on, and knows no Accept.
            String page = Http.get(url, "/files/%00").text();
            assertTrue(page.contains("<h1>400 Bad Request</h1>") && page.contains("href=\"/page.css\""), page);
            Http.Answer range = Http.get(url, FILE, "Range: bytes=1048576-", "Accept: application/json");
            assertEquals(416, range.status());
            assertEquals("{\"title\":\"Range Not Satisfiable\",\"status\":416}", range.text());
            assertEquals("bytes */1048576", range.header("Content-Range"));
        }
    }

    @Test
    void everyFileOfTheCatalogueHasItsBytesOnEveryListener() throws Exception {
        List<String> urls = new ArrayList<>();
        for (String listener : LISTENERS) {
            urls.add(server.url(listener));
        }
        DeployedContract.assertCatalogs(urls);
    }

    @Test
    void statsCountTheRequestsOfEachListener() throws Exception {
        for (String listener : LISTENERS) {
            String url = server.url(listener);
            long before = figure(Http.get(url, "/stats").text(), listener, "requests");
            Http.get(url, "/hello");
            Http.get(url, "/hello");
            long after = figure(Http.get(url, "/stats").text(), listener, "requests");
            assertTrue(after - before == 3, listener + ": " + before + " then " + after);
        }
    }

    @Test
    void filesGoBySendfileOnMillracesListenersOnly() throws Exception {
        for (String listener : LISTENERS) {
            String url = server.url(listener);
            long before = figure(Http.get(url, "/stats").text(), listener, "bytesBySendfile");
            Http.get(url, "/files/1MB.bin");
            DeployedContract.awaitFigure(
                    url, listener, "bytesBySendfile", before + (listener.equals("STOCK") ? 0 : 1 << 20));
        }
    }

    @Test
    void describesTheServiceUnderTheRightTypes() throws Exception {
        for (String listener : LISTENERS) {
            DeployedContract.assertTypes(server.url(listener));
        }
    }

    @Test
    void downloadsGoByXSendfileOnMillracesListenersOnly() throws Exception {
        for (String listener : LISTENERS) {
            String url = server.url(listener);
            String before = Http.get(url, "/stats").text();
            Http.Answer answer = Http.get(url, "/download?name=1MB.bin");
            String after = Http.get(url, "/stats").text();
            assertEquals(Http.get(url, "/files/1MB.bin").md5(), answer.md5());
            boolean isStock = listener.equals("STOCK");
            assertEquals(isStock ? 0 : 1, sum(after, "byXSendfile") - sum(before, "byXSendfile"), listener);
            assertEquals(isStock ? 1 : 0, sum(after, "streamed") - sum(before, "streamed"), listener);
            DeployedContract.awaitFigure(
                    url,
                    listener,
                    "bytesBySendfile",
                    figure(before, listener, "bytesBySendfile") + (isStock ? 0 : 2 << 20));
        }
    }

    private static long sum(String stats, String name) {
        return DeployedContract.figure(stats, "", name);
    }

    private static long figure(String stats, String listener, String name) {
        return DeployedContract.figure(stats, listener, name);
    }

    @Test
    void theWebApplicationCarriesNothingOfJetty() throws Exception {
        try (ZipFile war = new ZipFile(System.getProperty("millrace.war"))) {
            List<String> jetty = war.stream()
                    .map(ZipEntry::getName)
                    .filter(name -> name.startsWith("WEB-INF/lib/") || name.startsWith("WEB-INF/classes/"))
                    .filter(name -> name.contains("jetty") || name.contains("servlet-api") || name.contains("/server/"))
                    .toList();
            assertEquals(List.of(), jetty);
        }
    }
}
