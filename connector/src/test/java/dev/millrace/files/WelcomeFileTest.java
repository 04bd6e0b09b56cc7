package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.ee11.SendfileServlet;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Logged;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.RawClient.Answer;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.handler.ContextHandler;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A welcome file that is there and may not be sent is answered as by its own name, and nothing of it is shown. */
class WelcomeFileTest {
    /** Serves files of a directory, at the root. */
    private interface Serving {
        Handler of(Path root);
    }

    @TempDir
    Path directory;

    private Path root;

    static Stream<Serving> all() {
        return Stream.of(
                WelcomeFileTest::files, root -> new ContextHandler(files(root), "/"), WelcomeFileTest::servlet);
    }

    private static SendfileHandler files(Path root) {
        SendfileHandler files = Handlers.files(root);
        files.setEtags(true);
        // No test ends within it.
        files.getSettings().setValidMillis(3_600_000);
        files.getSettings().setMissingMillis(3_600_000);
        return files;
    }

    private static Handler servlet(Path root) {
        ServletContextHandler context = new ServletContextHandler("/");
        ServletHolder files = context.addServlet(SendfileServlet.class, "/*");
        files.setInitParameter("baseResource", root.toString());
        files.setInitParameter("etags", "true");
        files.setInitParameter("cacheValidationTime", "3600000");
        return context;
    }

    @BeforeEach
    void write() throws Exception {
        root = Files.createDirectories(directory.resolve("root"));
        Files.createDirectory(root.resolve("x"));
    }

    private static void assertAbsent(RawClient client, String path) throws Exception {
        for (String fields : new String[] {"", "Range: bytes=0-1\r\n", "If-None-Match: *\r\n"}) {
            Answer answer = client.send("GET " + path + " HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n")
                    .answer();
            assertEquals(404, answer.status(), path + " " + fields + answer.text());
            assertFalse(answer.text().contains("secret"), answer.text());
        }
    }

    private void checkAbsent(Serving serving) throws Exception {
        try (Logged logged = new Logged("org.eclipse.jetty");
                TestServer server = new TestServer(Connectors.NIO::http).start(serving.of(root));
                RawClient client = server.client()) {
            assertAbsent(client, "/x/index.html");
            assertAbsent(client, "/x/");
            assertEquals(0, logged.count("Failed to serve"));
        }
    }

    @ParameterizedTest
    @MethodSource("all")
    void thatIsALinkOut(Serving serving) throws Exception {
        Path outside = Files.writeString(directory.resolve("outside.txt"), "secret");
        Files.createSymbolicLink(root.resolve("x/index.html"), outside);
        checkAbsent(serving);
    }

    @ParameterizedTest
    @MethodSource("all")
    void thatIsAPipe(Serving serving) throws Exception {
        TestFiles.pipe(root.resolve("x"), "index.html");
        checkAbsent(serving);
    }

    @ParameterizedTest
    @MethodSource("all")
    void thatIsBelievedToBeMissing(Serving serving) throws Exception {
        try (Logged logged = new Logged("org.eclipse.jetty");
                TestServer server = new TestServer(Connectors.NIO::http).start(serving.of(root));
                RawClient client = server.client()) {
            assertAbsent(client, "/x/index.html");
            Files.writeString(root.resolve("x/index.html"), "welcome");
            assertAbsent(client, "/x/");
            assertEquals(0, logged.count("Failed to serve"));
        }
    }

    @ParameterizedTest
    @MethodSource("all")
    void thatIsThereIsSentAsBefore(Serving serving) throws Exception {
        Files.writeString(root.resolve("x/index.html"), "welcome");
        try (TestServer server = new TestServer(Connectors.NIO::http).start(serving.of(root));
                RawClient client = server.client()) {
            Answer answer = client.get("/x/").answer();
            assertEquals(200, answer.status());
            assertEquals("welcome", answer.text());
            assertEquals("7", answer.headers().get("Content-Length"));
            assertTrue(
                    answer.headers().get("Content-Type").startsWith("text/html"),
                    answer.headers().toString());
            Answer same = client.send("GET /x/ HTTP/1.1\r\nHost: a\r\nIf-None-Match: "
                            + answer.headers().get("ETag") + "\r\n\r\n")
                    .answer();
            assertEquals(304, same.status());
            Answer head = client.send("HEAD /x/ HTTP/1.1\r\nHost: a\r\n\r\n").answer("HEAD");
            assertEquals("7", head.headers().get("Content-Length"));
            assertNull(head.headers().get("Content-Range"));
        }
    }
}
