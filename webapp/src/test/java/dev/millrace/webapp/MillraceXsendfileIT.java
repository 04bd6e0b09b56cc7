package dev.millrace.webapp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A WAR whose servlet names files, in the Jetty distribution with module millrace-xsendfile, in ee10 and ee11. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MillraceXsendfileIT {
    private static final List<String> CONNECTORS = List.of("bio", "nio", "ServerConnector");

    private final BlockingQueue<String> posts = new LinkedBlockingQueue<>();
    private final byte[] bytes = new byte[300_000];
    private HttpServer destination;
    private Path files;
    private ServerProcess on;
    private ServerProcess off;

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        files = Files.createDirectory(folder.toRealPath().resolve("files"));
        new Random(2).nextBytes(bytes);
        Files.write(files.resolve("big.bin"), bytes);
        Files.writeString(files.resolve("text.txt"), "text ".repeat(1000));
        Files.writeString(files.resolveSibling("secret.txt"), "secret");
        destination = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        destination.createContext("/", exchange -> {
            posts.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        destination.start();
        Path war = PlainWar.writeNaming(folder.resolve("naming.war"));
        on = start(
                folder.resolve("on"),
                war,
                "millrace.xsendfile.notifier.destination=http://127.0.0.1:"
                        + destination.getAddress().getPort() + "/results");
        off = start(folder.resolve("off"), war, "millrace.xsendfile.enabled=false");
    }

    private ServerProcess start(Path base, Path war, String setting) throws Exception {
        Files.createDirectory(base);
        JettyBase jetty = JettyBase.create(
                base, "http,millrace-bio,millrace-nio,millrace-xsendfile,ee10-deploy,ee11-deploy,compression-gzip");
        for (String environment : List.of("ee10", "ee11")) {
            PlainWar.deploy(war, base, environment, environment);
        }
        return jetty.startAnywhere(
                "millrace.xsendfile.roots=" + files,
                "millrace.xsendfile.debugHeader=true",
                "millrace.xsendfile.mappings=/protected/=" + files,
                setting);
    }

    @AfterAll
    void stop() {
        for (ServerProcess server : new ServerProcess[] {on, off}) {
            if (server != null) {
                server.close();
            }
        }
        if (destination != null) {
            destination.stop(0);
        }
    }

    private static Http.Answer name(
            ServerProcess server, String connector, String environment, String field, String value, String... fields)
            throws Exception {
        Http.Answer answer = Http.get(
                JettyBase.url(server, connector),
                "/" + environment
                        + "/name?type=text/plain&field=" + field
                        + "&value=" + URLEncoder.encode(value, StandardCharsets.UTF_8),
                fields);
        for (String ours : List.of("X-Sendfile", "X-Accel-Redirect", "X-Download-Id")) {
            assertNull(answer.header(ours), ours);
        }
        return answer;
    }

    @ParameterizedTest
    @ValueSource(strings = {"ee10", "ee11"})
    void namedFilesAreSent(String environment) throws Exception {
        for (String connector : CONNECTORS) {
            // What the kernel cannot send comes from memory, when it was asked for often.
            Set<String> sent = connector.equals("ServerConnector") ? Set.of("END_POINT", "CACHED") : Set.of("yes");
            for (String[] named : new String[][] {
                {"X-Sendfile", files.resolve("big.bin").toString()}, {"X-Accel-Redirect", "/protected/big.bin"}
            }) {
                Http.Answer answer = name(on, connector, environment, named[0], named[1]);
                assertEquals(200, answer.status());
                assertArrayEquals(bytes, answer.body());
                String way = answer.header("X-Millrace-Sendfile");
                assertTrue(sent.contains(way), way);
                assertEquals("private", answer.header("Cache-Control"));
                assertEquals("text/plain", answer.header("Content-Type").replaceAll(";.*", ""));
                Http.Answer range = name(on, connector, environment, named[0], named[1], "Range: bytes=-100000");
                assertEquals(206, range.status());
                assertArrayEquals(Arrays.copyOfRange(bytes, 200_000, 300_000), range.body());
                assertEquals(
                        304,
                        name(on, connector, environment, named[0], named[1], "If-None-Match: " + answer.header("ETag"))
                                .status());
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "X-Sendfile,/etc/hostname",
        "X-Sendfile,../secret.txt",
        "X-Accel-Redirect,/protected/../secret.txt",
        "X-Accel-Redirect,/protected/%2e%2e/secret.txt",
        "X-Accel-Redirect,/other/big.bin",
        "X-Accel-Redirect,/protected/missing"
    })
    void filesOutsideTheRootsAreNotFound(String field, String value) throws Exception {
        for (String environment : List.of("ee10", "ee11")) {
            assertEquals(404, name(on, "nio", environment, field, value).status());
        }
    }

    @Test
    void theFieldsNeverReachTheClientWhenItIsOff() throws Exception {
        for (String connector : CONNECTORS) {
            for (String environment : List.of("ee10", "ee11")) {
                String file = files.resolve("big.bin").toString();
                Http.Answer answer = name(off, connector, environment, "X-Sendfile", file);
                assertEquals("the body of the application", answer.text());
                answer = name(off, connector, environment, "X-Accel-Redirect", "/protected/big.bin");
                assertEquals("the body of the application", answer.text());
            }
        }
    }

    @Test
    void compressionAroundSeesTheFileAndNotTheApplicationsBody() throws Exception {
        String text = files.resolve("text.txt").toString();
        Http.Answer packed = name(on, "nio", "ee11", "X-Sendfile", text, "Accept-Encoding: gzip");
        assertEquals(200, packed.status());
        assertEquals("gzip", packed.header("Content-Encoding"));
        try (InputStream unpacked = new GZIPInputStream(new ByteArrayInputStream(packed.body()))) {
            assertEquals(
                    Files.readString(files.resolve("text.txt")),
                    new String(unpacked.readAllBytes(), StandardCharsets.UTF_8));
        }
        Http.Answer plain = name(on, "nio", "ee11", "X-Sendfile", text);
        assertNull(plain.header("Content-Encoding"));
        assertEquals(Files.readString(files.resolve("text.txt")), plain.text());
    }

    @Test
    void theEndOfEachTransferIsPosted() throws Exception {
        // The server may post notifications about the files of other tests now.
        Path file = Files.write(files.resolve("posted.bin"), bytes);
        String expected = "download_id=number+7&file_path=" + URLEncoder.encode(file.toString(), StandardCharsets.UTF_8)
                + "&result=200";
        name(on, "bio", "ee11", "X-Sendfile", file.toString());
        String post = posts.poll(30, TimeUnit.SECONDS);
        while (post != null && !post.contains("posted.bin")) {
            post = posts.poll(30, TimeUnit.SECONDS);
        }
        assertNotNull(post);
        assertEquals(expected, post.replaceAll("&speed=\\d+$", ""));
    }
}
