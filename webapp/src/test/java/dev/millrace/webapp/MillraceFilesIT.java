package dev.millrace.webapp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A plain WAR in the Jetty distribution, in ee10 and ee11. With module millrace-files its files are sent by sendfile,
 * and all responses equal those of the distribution without the module.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MillraceFilesIT {
    private static final String DEBUG = "X-Millrace-Sendfile";
    private static final List<String> ENVIRONMENTS = List.of("ee10", "ee11");
    private static final List<String> FIELDS_THAT_MATTER = List.of(
            "content-type",
            "content-length",
            "etag",
            "accept-ranges",
            "content-range",
            "cache-control",
            "allow",
            "location",
            "vary",
            "content-encoding",
            "transfer-encoding");

    private Path base;
    private Path war;
    private ServerProcess with;
    private ServerProcess without;

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        war = PlainWar.write(folder.resolve("plain.war"));
        base = folder.resolve("with");
        PlainWar.deploy(PlainWar.writeSending(folder.resolve("sending.war")), base, "sending", "ee11");
        with = start(
                base,
                ",millrace-files,millrace-ee11",
                "millrace.files.debugHeader=true",
                "jetty.deploy.scanInterval=1");
        without = start(folder.resolve("without"), "");
    }

    private ServerProcess start(Path folder, String module, String... more) throws Exception {
        Files.createDirectories(folder);
        JettyBase jetty = JettyBase.create(folder, "http,millrace-bio,millrace-nio,ee10-deploy,ee11-deploy" + module);
        for (String environment : ENVIRONMENTS) {
            PlainWar.deploy(war, folder, environment, environment);
        }
        return jetty.startAnywhere(more);
    }

    @AfterAll
    void stop() {
        for (ServerProcess server : new ServerProcess[] {with, without}) {
            if (server != null) {
                server.close();
            }
        }
    }

    private static String url(ServerProcess server, String connector) throws Exception {
        return JettyBase.url(server, connector);
    }

    @ParameterizedTest
    @CsvSource({
        "bio,/big.bin",
        "nio,/big.bin",
        "bio,/resource/big.bin",
        "nio,/resource/big.bin",
        "nio,/folder/",
        "nio,/list/inner.bin"
    })
    void filesGoBySendfile(String connector, String target) throws Exception {
        for (String environment : ENVIRONMENTS) {
            Http.Answer answer = Http.get(url(with, connector), "/" + environment + target);
            assertEquals(200, answer.status());
            assertEquals("yes", answer.header(DEBUG), environment + target);
            Http.Answer range = Http.get(url(with, connector), "/" + environment + target, "Range: bytes=1000-99999");
            assertEquals(206, range.status());
            assertEquals("yes", range.header(DEBUG), environment + target);
        }
    }

    @Test
    void otherFilesShowTheReason() throws Exception {
        for (String environment : ENVIRONMENTS) {
            String root = "/" + environment;
            assertEquals(
                    "END_POINT",
                    Http.get(url(with, "ServerConnector"), root + "/big.bin").header(DEBUG));
            assertEquals(
                    "SMALL", Http.get(url(with, "nio"), root + "/small.txt").header(DEBUG));
        }
    }

    @Test
    void anApplicationNamesTheServletInItsDescriptor() throws Exception {
        Http.Answer answer = Http.get(url(with, "nio"), "/sending/sent/big.bin");
        assertEquals(PlainWar.BYTES, answer.body().length);
        assertEquals("yes", answer.header(DEBUG));
    }

    @Test
    void withoutTheModuleJettyCopies() throws Exception {
        for (String environment : ENVIRONMENTS) {
            Http.Answer answer = Http.get(url(without, "nio"), "/" + environment + "/big.bin");
            assertEquals(PlainWar.BYTES, answer.body().length);
            assertNull(answer.header(DEBUG));
        }
    }

    /** Method, target, and header fields, separated by bars. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET|/big.bin",
                "HEAD|/big.bin",
                "POST|/big.bin",
                "OPTIONS|/big.bin",
                "GET|/small.txt",
                "GET|/",
                "GET|/folder/",
                "GET|/folder",
                "GET|/list/",
                "GET|/missing",
                "GET|/big.bin/",
                "GET|/WEB-INF/web.xml",
                "GET|/big.bin|Range: bytes=0-0",
                "GET|/big.bin|Range: bytes=1000-199999",
                "GET|/big.bin|Range: bytes=-1000",
                "GET|/big.bin|Range: bytes=300000-",
                "GET|/big.bin|Range: bytes=5-1",
                "GET|/big.bin|Range: bytes=x",
                "GET|/big.bin|Range: bytes=0-99999,200000-299999",
                "HEAD|/big.bin|Range: bytes=0-9",
                "GET|/big.bin|If-Modified-Since: Fri, 01 Jan 2100 00:00:00 GMT",
                "GET|/big.bin|If-Modified-Since: Wed, 31 Dec 2008 23:59:59 GMT",
                "GET|/big.bin|If-Unmodified-Since: Wed, 31 Dec 2008 23:59:59 GMT",
                "GET|/big.bin|If-Match: \"other\"",
                "GET|/big.bin|If-None-Match: *",
                "GET|/resource/big.bin",
                "GET|/resource/missing",
                "GET|/resource/folder/",
                "GET|/../ee10/big.bin",
                "GET|/%2e%2e/ee10/big.bin",
                "GET|/big%2ebin",
                "GET|/folder/..%2fbig.bin",
                "GET|/big.bin%00"
            })
    void answersAreThoseOfJettyAlone(String request) throws Exception {
        String[] parts = request.split("\\|");
        String[] fields = List.of(parts).subList(2, parts.length).toArray(String[]::new);
        for (String environment : ENVIRONMENTS) {
            String target = "/" + environment + parts[1];
            String alone = describe(url(without, "nio"), parts[0], target, fields);
            assertEquals(alone, describe(url(with, "nio"), parts[0], target, fields), target);
            assertEquals(alone, describe(url(with, "bio"), parts[0], target, fields), target);
            assertEquals(alone, describe(url(with, "ServerConnector"), parts[0], target, fields), target);
        }
    }

    private static String describe(String url, String method, String target, String... fields) throws Exception {
        Http.Answer answer = Http.send(url, method, target, "", fields);
        String type = String.valueOf(answer.header("content-type"));
        String boundary = type.contains("boundary=") ? type.replaceAll(".*boundary=", "") : "no boundary";
        StringBuilder description = new StringBuilder().append(answer.status());
        for (String name : FIELDS_THAT_MATTER) {
            description
                    .append('\n')
                    .append(name)
                    .append(": ")
                    .append(String.valueOf(answer.header(name))
                            .replace(boundary, "B")
                            .replace(url, ""));
        }
        // Each server unpacks the WAR at another time.
        description.append("\nlast-modified: ").append(answer.header("last-modified") != null);
        String body = answer.status() >= 300 || type.startsWith("text/html")
                ? answer.text().replace(url, "").replaceAll("\\w{3} \\d{1,2}, \\d{4},? [\\d:]+\\W[AP]M", "TIME")
                : new String(answer.body(), StandardCharsets.ISO_8859_1).replace(boundary, "B");
        description.append("\nbody: ").append(body.length() > 3000 ? body.length() + " " + body.hashCode() : body);
        return description.toString();
    }

    @ParameterizedTest
    @ValueSource(strings = {"ee10", "ee11"})
    void anApplicationThatIsDeployedLaterSendsToo(String environment) throws Exception {
        PlainWar.deploy(war, base, "late-" + environment, environment);
        with.await("Started .*/late-" + environment);
        String url = url(with, "nio");
        // Jetty starts a deployed application shortly before it calls the server's listeners.
        Http.Answer answer = Http.get(url, "/late-" + environment + "/big.bin");
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (answer.header(DEBUG) == null && System.nanoTime() < end) {
            answer = Http.get(url, "/late-" + environment + "/big.bin");
        }
        assertEquals("yes", answer.header(DEBUG));
        assertEquals(PlainWar.BYTES, answer.body().length);
    }
}
