package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.RawClient.Answer;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ContextHandler;
import org.eclipse.jetty.util.Callback;
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
    private static final String SECRET = "the secret of the house";

    /** Ways out of a root that have worked somewhere; {@code X} stands for the file outside. */
    private static final String[] WAYS_OUT = {
        "/../X", "/./../X", "/sub/../../X", "//../X", "/../../../../../../../../../etc/passwd",
        "/%2e%2e/X", "/%2E%2E/X", "/.%2e/X", "/%2e./X", "/%2e%2e%2fX", "/..%2fX", "/..%2FX", "/sub/..%2f..%2fX",
        "/%252e%252e/X", "/%252e%252e%252fX", "/..%252fX", "/%25%32%65%25%32%65/X",
        "/..;/X", "/..;a=b/X", "/sub/..;/..;/X", "/;/../X", "/%2e%2e;/X", "/.;/../X",
        "/..\\X", "/..%5cX", "/%2e%2e%5cX", "/sub\\..\\..\\X", "/..%255cX", "\\..\\X",
        "/%c0%ae%c0%ae/X", "/..%c0%afX", "/%e0%80%ae%e0%80%ae/X", "/%c0%2e%c0%2e/X", "/..%c1%9cX", "/%uff0e%uff0e/X",
        "/%u002e%u002e/X", "/%f0%80%80%ae./X", "/..%u2215X", "/..%ef%bc%8fX",
        "/%00/../X", "/..%00/X", "/X%00", "/file.txt%00/../../X", "/../X%00.txt", "/sub/%00",
        "/C:/X", "/c:%5cX", "/file.txt::$DATA", "/CON", "/aux.txt", "/nul", "/file~1.txt", "/X.", "/.../X", "/....//X",
        "/..%0d%0a/X", "/%0a../X", "/..%09/X", "/ ../X", "/..%20/X", "/%2e%2e%20/X",
        "/link.txt", "/up/X", "/up/../X", "/absolute.txt", "/sub/link/X", "/loop/X"};

    @Parameter
    Connectors connectors;

    @TempDir
    Path directory;

    private Path root;

    @BeforeEach
    void files() throws Exception {
        root = Files.createDirectories(directory.resolve("root/sub")).getParent();
        Files.writeString(directory.resolve("X"), SECRET);
        Files.writeString(root.resolve("file.txt"), "harmless");
        Files.createSymbolicLink(root.resolve("link.txt"), Path.of("../X"));
        Files.createSymbolicLink(root.resolve("absolute.txt"), directory.resolve("X"));
        Files.createSymbolicLink(root.resolve("up"), Path.of(".."));
        Files.createSymbolicLink(root.resolve("sub/link"), directory);
        Files.createSymbolicLink(root.resolve("loop"), Path.of("loop"));
        Files.createSymbolicLink(root.resolve("inside.txt"), Path.of("sub/../file.txt"));
    }

    private SendfileHandler handler() {
        SendfileHandler files = new SendfileHandler();
        files.setBaseResourceAsString(root.toString());
        return files;
    }

    /** With every leniency that Jetty has: the root must hold without its parser's help too. */
    private TestServer lenient(Handler handler) throws Exception {
        HttpConfiguration configuration = new HttpConfiguration();
        configuration.setUriCompliance(UriCompliance.UNSAFE);
        return new TestServer(server -> connectors.on(server, new HttpConnectionFactory(configuration))).start(handler);
    }

    private static void assertNoWayOut(TestServer server, String prefix) throws Exception {
        for (String way : WAYS_OUT) {
            for (String method : new String[] {"GET", "HEAD"}) {
                try (RawClient client = server.client()) {
                    client.send(method + " " + prefix + way + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
                    Answer answer = client.answer(method);
                    assertTrue(answer.status() >= 300, way + " " + answer.status());
                    assertFalse(answer.text().contains(SECRET), way);
                    assertFalse(answer.text().contains("root:x"), way);
                    assertTrue(answer.status() < 500, way + " " + answer.status() + " " + answer.text());
                }
            }
        }
    }

    @Test
    void keepsToTheRoot() throws Exception {
        try (TestServer server = new TestServer(connectors::http).start(handler())) {
            assertNoWayOut(server, "");
        }
    }

    @Test
    void keepsToTheRootWhateverTheParserLetsThrough() throws Exception {
        try (TestServer server = lenient(handler())) {
            assertNoWayOut(server, "");
            assertNoWayOut(server, "/sub");
        }
    }

    @Test
    void keepsToTheRootInAContext() throws Exception {
        try (TestServer server = lenient(new ContextHandler(handler(), "/app"))) {
            assertNoWayOut(server, "/app");
        }
    }

    @Test
    void followsLinksWithinTheRootOnly() throws Exception {
        SendfileHandler handler = handler();
        handler.getSendfileContentFactory().setValidMillis(0);
        try (TestServer server = new TestServer(connectors::http).start(handler); RawClient client = server.client()) {
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
        Process made = new ProcessBuilder("mkfifo", root.resolve("pipe").toString()).start();
        assertEquals(0, made.waitFor());
        SendfileHandler handler = handler();
        try (TestServer server = new TestServer(connectors::http).start(handler); RawClient client = server.client()) {
            assertEquals(404, client.get("/pipe").answer().status());
            assertEquals("harmless", client.get("/file.txt").answer().text());
        }
    }

    @Test
    void survivesRangeFloods() throws Exception {
        byte[] bytes = TestFiles.write(root, "file.bin", 200_000);
        String[] floods = {"0-" + ",0-".repeat(1000), "0-0" + ",2-2".repeat(1000), "5-1,".repeat(800), ",".repeat(5000),
            "0-18446744073709551615", "-18446744073709551615", "9223372036854775807-", "0-0,-1", "--1", "a-b",
            "0-199999,0-199999"};
        try (TestServer server = new TestServer(connectors::http).start(handler());
                RawClient client = server.client()) {
            for (String flood : floods) {
                Answer answer = client.send("GET /file.bin HTTP/1.1\r\nHost: a\r\nRange: bytes=" + flood
                        + "\r\n\r\n").answer();
                assertTrue(Arrays.asList(200, 206, 416).contains(answer.status()), flood + answer.status());
                assertTrue(answer.body().length < bytes.length + 2000, flood);
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
        SendfileHandler files = handler();
        Handler attributes = new Handler.Wrapper(files) {
            @Override
            public boolean handle(Request request, Response response, Callback callback) throws Exception {
                request.setAttribute("org.apache.tomcat.sendfile.filename", directory.resolve("X").toString());
                request.setAttribute("org.apache.tomcat.sendfile.start", -5L);
                request.setAttribute("org.apache.tomcat.sendfile.end", Long.MAX_VALUE);
                return super.handle(request, response, callback);
            }
        };
        try (TestServer server = new TestServer(connectors::http).start(attributes);
                RawClient client = server.client()) {
            Answer answer = client.send("GET /file.txt HTTP/1.1\r\nHost: a\r\nX-Sendfile: " + directory.resolve("X")
                    + "\r\nX-Accel-Redirect: /X\r\n\r\n").answer();
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
        List<byte[]> contents = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            byte[] bytes = new byte[1000 + i * 15_000];
            Arrays.fill(bytes, (byte) ('a' + i));
            Files.write(root.resolve(i + ".txt"), bytes);
            contents.add(bytes);
        }
        AtomicBoolean done = new AtomicBoolean();
        ExecutorService clients = Executors.newCachedThreadPool();
        try (TestServer server = new TestServer(connectors::http).start(handler())) {
            List<Future<Void>> readers = new ArrayList<>();
            for (int i = 0; i < 170; i++) {
                readers.add(clients.submit(pipelining(server.port(), contents, i)));
            }
            List<Future<Void>> breakers = new ArrayList<>();
            for (int i = 0; i < 30; i++) {
                breakers.add(clients.submit(breaking(server.port(), i, done)));
            }
            for (Future<Void> reader : readers) {
                reader.get(60, TimeUnit.SECONDS);
            }
            done.set(true);
            for (Future<Void> breaker : breakers) {
                breaker.get(60, TimeUnit.SECONDS);
            }
        } finally {
            clients.shutdownNow();
        }
    }

    private static Callable<Void> pipelining(int port, List<byte[]> contents, int seed) {
        return () -> {
            Random random = new Random(seed);
            try (RawClient client = new RawClient(port)) {
                for (int round = 0; round < 3; round++) {
                    int[] wanted = random.ints(6, -1, contents.size()).toArray();
                    StringBuilder requests = new StringBuilder();
                    for (int index : wanted) {
                        requests.append("GET /").append(index).append(".txt HTTP/1.1\r\nHost: a\r\n\r\n");
                    }
                    client.send(requests.toString());
                    for (int index : wanted) {
                        Answer answer = client.answer();
                        assertEquals(index < 0 ? 404 : 200, answer.status());
                        if (index >= 0) {
                            assertArrayEquals(contents.get(index), answer.body());
                        }
                    }
                }
            }
            return null;
        };
    }

    /** Clients that go away in the middle, and files that become shorter in the middle. */
    private Callable<Void> breaking(int port, int seed, AtomicBoolean done) {
        return () -> {
            String name = "broken" + seed + ".txt";
            for (int round = 0; round < 3 || !done.get() && round < 50; round++) {
                try (RandomAccessFile file = new RandomAccessFile(root.resolve(name).toFile(), "rw");
                        RawClient client = new RawClient(port, 8192)) {
                    file.setLength(10_000_000 + round);
                    client.get("/" + name).get("/0.txt");
                    assertEquals('H', client.in().read());
                    if (seed % 2 == 0) {
                        file.setLength(5);
                        String rest = new String(client.in().readNBytes(10_000_000), StandardCharsets.ISO_8859_1);
                        assertFalse(rest.contains("aaaaaaaa"), "an answer after one that was cut");
                    }
                } catch (java.net.SocketException reset) {
                    assertTrue(seed % 2 == 0, "only a cut answer is reset");
                }
            }
            return null;
        };
    }
}
