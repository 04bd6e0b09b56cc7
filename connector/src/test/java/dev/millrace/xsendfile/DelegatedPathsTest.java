package dev.millrace.xsendfile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Logged;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.RawClient.Answer;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.eclipse.jetty.server.handler.ContextHandler;
import org.eclipse.jetty.server.handler.ContextHandlerCollection;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Which files an application may name, by whichever path, URI or link. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#ours")
class DelegatedPathsTest {
    @Parameter
    Connectors connectors;

    @TempDir
    Path directory;

    private final Map<String, String> fields = new TreeMap<>();
    private final XSendfileHandler handler = new XSendfileHandler(Handlers.fields(() -> fields));
    private Path root;

    /** Names what the test says. */
    @BeforeEach
    void files() throws Exception {
        root = Files.createDirectories(directory.resolve("root"));
        TestFiles.write(root, "file.bin", 1000);
        TestFiles.write(directory, "secret.bin", 1000);
        handler.addRoot(root.toString());
        handler.addMapping("/protected/", root.toString());
    }

    private TestServer server() throws Exception {
        return new TestServer(connectors::http).start(handler);
    }

    @Test
    void answers404ForPathsOutside() throws Exception {
        Files.createSymbolicLink(root.resolve("link.bin"), directory.resolve("secret.bin"));
        Files.createSymbolicLink(root.resolve("up"), directory);
        String[] paths = {
            directory.resolve("secret.bin").toString(),
            root + "/../secret.bin",
            root + "/link.bin",
            root + "/up/secret.bin",
            "root/file.bin",
            "",
            "/etc/passwd",
            root + "x/file.bin",
            root + "/a\0b",
            "/proc/self/environ",
            root.toString(),
            root + "/",
            root + "/none"
        };
        fields.put("Content-Disposition", "attachment");
        try (Logged logged = new Logged(DelegatedRoots.class.getName());
                TestServer server = server();
                RawClient client = server.client()) {
            for (String path : paths) {
                fields.put("X-Sendfile", path);
                Answer answer = client.get("/").answer();
                assertEquals(404, answer.status(), path);
                assertNull(answer.headers().get("X-Sendfile"));
                assertNull(answer.headers().get("Content-Disposition"));
            }
            // Of all but the three that are missing, and within.
            assertEquals(paths.length - 3, logged.count("Not sending"));
        }
    }

    @Test
    void answers404ForUrisOutside() throws Exception {
        Files.createSymbolicLink(root.resolve("link.bin"), directory.resolve("secret.bin"));
        String[] outside = {
            "/protected/../secret.bin",
            "/protected/%2e%2e/secret.bin",
            "/protected/%2e%2e%2fsecret.bin",
            "/protected/%00",
            "/protected//../secret.bin",
            "/protected/link.bin",
            "/other/file.bin",
            "protected/file.bin",
            "/protected/%",
            "/protected//etc/passwd"
        };
        String[] missing = {
            "/protected/..%5csecret.bin",
            "/protected/%c0%ae%c0%ae/secret.bin",
            "/protected/%252e%252e/secret.bin",
            "/protected/..;/secret.bin",
            "/protected/%2e%2e;a/secret.bin"
        };
        try (Logged logged = new Logged(DelegatedRoots.class.getName());
                TestServer server = server();
                RawClient client = server.client()) {
            for (String uri : missing) {
                fields.put("X-Accel-Redirect", uri);
                assertEquals(404, client.get("/").answer().status(), uri);
            }
            for (int i = 0; i < outside.length; i++) {
                fields.put("X-Accel-Redirect", outside[i]);
                assertEquals(404, client.get("/").answer().status(), outside[i]);
                assertEquals(i + 1, logged.count("Not sending"), outside[i]);
            }
        }
    }

    @Test
    void saysInTheLogThatThereIsNoFile() throws Exception {
        try (Logged logged = new Logged("dev.millrace");
                TestServer server = server();
                RawClient client = server.client()) {
            for (Path none : List.of(root, root.resolve("none.bin"), TestFiles.pipe(root, "pipe"))) {
                fields.put("X-Sendfile", none.toString());
                assertEquals(404, client.get("/").answer().status());
                assertEquals(1, logged.count("Not sending " + none + ": "));
            }
        }
    }

    @Test
    void tellsApplicationsWhatTheyMayName() throws Exception {
        ContextHandler context = new ContextHandler(Handlers.fields(() -> fields), "/app");
        handler.setHandler(new ContextHandlerCollection(context));
        try (TestServer ignored = server()) {
            @SuppressWarnings("unchecked")
            Predicate<Path> files =
                    (Predicate<Path>) context.getContext().getAttribute(XSendfileHandler.CONTEXT_ATTRIBUTE);
            assertTrue(files.test(root.resolve("file.bin")));
            assertFalse(files.test(directory.resolve("secret.bin")));
            assertFalse(files.test(root.resolve("../secret.bin")));
            assertFalse(files.test(Path.of("file.bin")));
            handler.setEnabled(false);
            assertFalse(files.test(root.resolve("file.bin")));
        }
    }

    /** Of the client's, not of the file. */
    @Test
    void showsTheRequestsUriWhereTheFileIsNotSent() throws Exception {
        fields.put("X-Sendfile", root + "/file.bin");
        try (TestServer server = server();
                RawClient client = server.client()) {
            for (String path : List.of("/download/7?a=b", "/download/7/?a=b", "/?a=b", "/")) {
                Answer answer = client.get(path, "Range: bytes=5000-").answer();
                assertEquals(416, answer.status(), path);
                assertTrue(
                        answer.text().contains("http://localhost" + path.replace("7/", "7") + "</td>"), answer.text());
                assertEquals(200, client.get(path).answer().status(), path);
            }
        }
    }
}
