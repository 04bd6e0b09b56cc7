package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.GuardedRoot;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.MixedRequests;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.RawClient.Answer;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.handler.ContextHandler;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Nothing from outside of the root, and never the bytes of one answer in another. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#ours")
class FileSecurityTest {
    @Parameter
    Connectors connectors;

    @TempDir
    Path directory;

    private GuardedRoot guarded;
    private Path root;

    @BeforeEach
    void files() throws Exception {
        guarded = new GuardedRoot(directory);
        root = guarded.path();
    }

    /** With every leniency that Jetty has: the root must hold without its parser's help too. */
    private TestServer lenient(Handler handler) throws Exception {
        HttpConfiguration configuration = new HttpConfiguration();
        configuration.setUriCompliance(UriCompliance.UNSAFE);
        return new TestServer(server -> connectors.on(server, new HttpConnectionFactory(configuration))).start(handler);
    }

    @Test
    void keepsToTheRoot() throws Exception {
        try (TestServer server = new TestServer(connectors::http).start(Handlers.files(root))) {
            guarded.assertNoWayOut(server, "");
        }
    }

    @Test
    void keepsToTheRootWhateverTheParserLetsThrough() throws Exception {
        try (TestServer server = lenient(Handlers.files(root))) {
            guarded.assertNoWayOut(server, "");
            guarded.assertNoWayOut(server, "/sub");
        }
    }

    @Test
    void keepsToTheRootInAContext() throws Exception {
        try (TestServer server = lenient(new ContextHandler(Handlers.files(root), "/app"))) {
            guarded.assertNoWayOut(server, "/app");
        }
    }

    @Test
    void followsLinksWithinTheRootOnly() throws Exception {
        SendfileHandler handler = Handlers.files(root);
        handler.getSettings().setValidMillis(0);
        try (TestServer server = new TestServer(connectors::http).start(handler);
                RawClient client = server.client()) {
            assertEquals("harmless", client.get("/inside.txt").answer().text());
            assertEquals(404, client.get("/link.txt").answer().status());
            // A link that changes its mind while its target is in the cache.
            Files.delete(root.resolve("inside.txt"));
            Files.createSymbolicLink(root.resolve("inside.txt"), directory.resolve("X"));
            assertEquals(404, client.get("/inside.txt").answer().status());
        }
    }

    @Test
    @EnabledOnOs({OS.LINUX, OS.MAC})
    void opensNoPipe() throws Exception {
        TestFiles.pipe(root, "pipe");
        SendfileHandler handler = Handlers.files(root);
        try (TestServer server = new TestServer(connectors::http).start(handler);
                RawClient client = server.client()) {
            assertEquals(404, client.get("/pipe").answer().status());
            assertEquals("harmless", client.get("/file.txt").answer().text());
        }
    }

    @Test
    void survivesRangeFloods() throws Exception {
        byte[] bytes = TestFiles.write(root, "file.bin", 200_000);
        // Too many are answered by the whole, and so are those with a number that no long can hold: they are valid.
        Map<String, Integer> floods = Map.ofEntries(
                Map.entry("0-" + ",0-".repeat(1000), 200),
                Map.entry("0-0" + ",2-2".repeat(1000), 200),
                Map.entry("5-1,".repeat(800), 200),
                Map.entry(",".repeat(5000), 200),
                Map.entry("0-18446744073709551615", 200),
                Map.entry("-18446744073709551615", 200),
                Map.entry("9223372036854775807-", 416),
                Map.entry("0-9223372036854775807", 206),
                Map.entry("0-9223372036854775808", 200),
                Map.entry("0-0,-1", 206),
                Map.entry("--1", 416),
                Map.entry("a-b", 416),
                Map.entry("0-199999,0-199999", 206));
        try (TestServer server = new TestServer(connectors::http).start(Handlers.files(root));
                RawClient client = server.client()) {
            for (Map.Entry<String, Integer> flood : floods.entrySet()) {
                Answer answer = client.send(
                                "GET /file.bin HTTP/1.1\r\nHost: a\r\nRange: bytes=" + flood.getKey() + "\r\n\r\n")
                        .answer();
                assertEquals(flood.getValue(), answer.status(), flood.getKey());
                assertTrue(answer.body().length < bytes.length + 2000, flood.getKey());
                if (answer.status() == 200) {
                    assertArrayEquals(bytes, answer.body());
                }
            }
            assertArrayEquals(bytes, client.get("/file.bin").answer().body());
        }
    }

    /**
     * CVE-2011-2526: what an application or a client says about a transfer is believed only within the roots, and never
     * beyond the file's end.
     */
    @Test
    void believesNoAttributes() throws Exception {
        SendfileHandler files = Handlers.files(root);
        Handler attributes = Handlers.around(files, (request, response, callback) -> {
            request.setAttribute(
                    "org.apache.tomcat.sendfile.filename",
                    directory.resolve("X").toString());
            request.setAttribute("org.apache.tomcat.sendfile.start", -5L);
            request.setAttribute("org.apache.tomcat.sendfile.end", Long.MAX_VALUE);
            return files.handle(request, response, callback);
        });
        try (TestServer server = new TestServer(connectors::http).start(attributes);
                RawClient client = server.client()) {
            Answer answer = client.send("GET /file.txt HTTP/1.1\r\nHost: a\r\nX-Sendfile: " + directory.resolve("X")
                            + "\r\nX-Accel-Redirect: /X\r\n\r\n")
                    .answer();
            assertEquals("harmless", answer.text());
        }
    }

    /**
     * CVE-2017-5647, CVE-2011-1475 and bug 60918: a pipelined request after a transfer gets its own answer, in its
     * turn. CVE-2016-8745: transfers that fail leave nothing behind that another connection gets. All at once, on 200
     * connections.
     */
    @Test
    void neverMixesAnswers() throws Exception {
        MixedRequests requests = new MixedRequests(root, "");
        try (TestServer server = new TestServer(connectors::http).start(Handlers.files(root))) {
            requests.run(server, 170, 30);
        }
    }
}
