package dev.millrace.xsendfile;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Logged;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.handler.ContextHandler;
import org.eclipse.jetty.server.handler.ContextHandlerCollection;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A peer that repeats a request for what is not sent does not fill the log. */
class RepeatedRefusalsTest {
    private static final int REQUESTS = 30;
    private static final int MOST_LINES = 20;

    @TempDir
    Path directory;

    private Path root;
    private Path secret;

    @BeforeEach
    void files() throws Exception {
        root = Files.createDirectory(directory.resolve("root"));
        secret = Files.writeString(directory.resolve("secret.txt"), "secret");
        Files.createSymbolicLink(root.resolve("link.txt"), secret);
    }

    private static void assertRefused(Handler handler, String logger, String line) throws Exception {
        try (Logged logged = new Logged(logger);
                TestServer server = new TestServer(Connectors.NIO::http).start(handler);
                RawClient client = server.client()) {
            for (int i = 0; i < REQUESTS; i++) {
                assertEquals(404, client.get("/link.txt").answer().status());
            }
            assertEquals(MOST_LINES, logged.count(line));
            assertEquals(MOST_LINES, logged.count("WARN"));
        }
    }

    @Test
    void ofLinksOutOfTheBase() throws Exception {
        assertRefused(Handlers.files(root), "dev.millrace.files.ContainedContentFactory", "Not serving");
    }

    private XSendfileHandler naming(String field, String file) {
        XSendfileHandler handler = new XSendfileHandler(Handlers.fields(() -> Map.of(field, file)));
        handler.addRoot(root.toString());
        handler.addMapping("/p/", root.toString());
        return handler;
    }

    @Test
    void ofFilesThatAnApplicationNames() throws Exception {
        Map<String, String> lines = new HashMap<>();
        lines.put(root + "/none.txt", "there is no such file");
        lines.put(root + "/", "it is no regular file");
        lines.put(root + "/link.txt", "it leads out of");
        lines.put(secret.toString(), "outside of");
        lines.put(root + "/a\0b", root + "/a?b: Nul character not allowed (names of files are in ");
        for (Map.Entry<String, String> line : lines.entrySet()) {
            assertRefused(naming("X-Sendfile", line.getKey()), "dev.millrace.xsendfile", line.getValue());
        }
        assertRefused(naming("X-Accel-Redirect", "/other/file"), "dev.millrace.xsendfile", "outside of");
        assertRefused(naming("X-Accel-Redirect", "/p/%"), "dev.millrace.xsendfile", "an invalid URI");
        assertRefused(naming("X-Accel-Redirect", "/p/a%00b"), "dev.millrace.xsendfile", "/p/a%00b: Nul character");
    }

    /** Applications of one handler have one log. */
    @Test
    void ofContextsTogether() throws Exception {
        ContextHandlerCollection contexts = new ContextHandlerCollection();
        XSendfileHandler handler = new XSendfileHandler();
        for (String path : List.of("/a", "/b")) {
            contexts.addHandler(
                    new ContextHandler(Handlers.fields(() -> Map.of("X-Sendfile", secret.toString())), path));
            handler.addContextRoot(path, root.toString());
        }
        handler.setHandler(contexts);
        try (Logged logged = new Logged("dev.millrace.xsendfile");
                TestServer server = new TestServer(Connectors.NIO::http).start(handler);
                RawClient client = server.client()) {
            for (int i = 0; i < REQUESTS; i++) {
                assertEquals(
                        404, client.get(i % 2 == 0 ? "/a/" : "/b/").answer().status());
            }
            assertEquals(MOST_LINES, logged.count("outside of"));
        }
    }
}
