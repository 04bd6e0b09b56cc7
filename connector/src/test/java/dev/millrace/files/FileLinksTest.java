package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Leaks;
import dev.millrace.testing.Logged;
import dev.millrace.testing.Meanwhile;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.RawClient.Answer;
import dev.millrace.testing.TestServer;
import dev.millrace.xsendfile.XSendfileHandler;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.eclipse.jetty.http.MimeTypes;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.handler.ContextHandler;
import org.eclipse.jetty.util.resource.ResourceFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Links out of the roots: of several roots, and such that change between the check and the opening of a file. */
class FileLinksTest {
    private static final String SECRET = "the secret of the house";

    @TempDir
    Path directory;

    private final SendfileHandler files = new SendfileHandler();
    private Path first;
    private Path second;

    @BeforeEach
    void write() throws Exception {
        first = Files.createDirectories(directory.resolve("first"));
        second = Files.createDirectories(directory.resolve("second"));
        Files.createDirectories(first.resolve("both"));
        Path outside = Files.createDirectories(directory.resolve("outside"));
        Files.writeString(outside.resolve("secret.txt"), SECRET);
        Files.writeString(first.resolve("one.txt"), "one");
        Files.writeString(second.resolve("two.txt"), "two");
        Files.createSymbolicLink(second.resolve("both"), outside);
        Files.createSymbolicLink(second.resolve("across.txt"), first.resolve("one.txt"));
        Files.createSymbolicLink(first.resolve("link.txt"), outside.resolve("secret.txt"));
        Files.createSymbolicLink(second.resolve("secret.txt"), outside.resolve("secret.txt"));
        files.setBaseResourceAsString(first.toString());
    }

    private static TestServer server(Handler handler) throws Exception {
        return new TestServer(Connectors.NIO::http).start(handler);
    }

    @Test
    void leadOutOfNoneOfSeveralRoots() throws Exception {
        try (TestServer server = new TestServer(Connectors.NIO::http)) {
            ResourceFactory resources = ResourceFactory.of(server.server());
            files.setBaseResource(ResourceFactory.combine(resources.newResource(first), resources.newResource(second)));
            server.start(files);
            try (RawClient client = server.client()) {
                assertEquals("one", client.get("/one.txt").answer().text());
                assertEquals("two", client.get("/two.txt").answer().text());
                assertEquals("one", client.get("/across.txt").answer().text());
                for (String path : List.of("/link.txt", "/secret.txt", "/both/secret.txt", "/both/")) {
                    Answer answer = client.get(path).answer();
                    assertEquals(404, answer.status(), path + answer.text());
                }
            }
        }
    }

    private static void link(Path file, Path target) {
        try {
            Files.deleteIfExists(file);
            Files.createSymbolicLink(file, target);
        } catch (IOException x) {
            throw new UncheckedIOException(x);
        }
    }

    /** Asked between the check of a file and its opening, makes it a link. */
    private static MimeTypes.Mutable replacing(Path file, Path target) {
        return new MimeTypes.Mutable() {
            @Override
            public String getMimeByExtension(String name) {
                link(file, target);
                return super.getMimeByExtension(name);
            }
        };
    }

    private SendfileHandler changing(MimeTypes replacing) {
        SendfileHandler changing = new SendfileHandler() {
            @Override
            public MimeTypes getMimeTypes() {
                return replacing;
            }
        };
        changing.setBaseResourceAsString(first.toString());
        return changing;
    }

    @Test
    void mayNotChangeBeforeTheFileIsOpen() throws Exception {
        Handler changing = changing(replacing(first.resolve("one.txt"), directory.resolve("outside/secret.txt")));
        try (TestServer server = server(changing);
                RawClient client = server.client()) {
            assertEquals(404, client.get("/one.txt").answer().status());
            assertEquals(200, client.get("/jetty-dir.css").answer().status());
            // Closed by a thread of the server's, maybe after the answer.
            Await.until("closed", () -> Leaks.descriptors(directory) == 0);
        }
    }

    /** With the first field of an answer, makes a link another one. */
    private static Handler relinking(Handler handler, Path link, Path target) {
        Meanwhile.Action relink = () -> {
            if (Files.isSymbolicLink(link)) {
                link(link, target);
            }
        };
        return Handlers.around(
                handler,
                (request, response, callback) ->
                        handler.handle(request, Meanwhile.atFields(request, response, relink), callback));
    }

    @Test
    void mayNotChangeAfterAFileThatCannotBeOpened() throws Exception {
        Path file = first.resolve("one.txt");
        Path secret = directory.resolve("outside/secret.txt");
        try (TestServer server = server(relinking(changing(replacing(file, file)), file, secret))) {
            for (String range : List.of("", "Range: bytes=0-3\r\n", "Range: bytes=0-3,8-11\r\n")) {
                Files.delete(file);
                Files.writeString(file, "one");
                try (RawClient client = server.client()) {
                    Answer answer = client.send("GET /one.txt HTTP/1.1\r\nHost: a\r\n" + range + "\r\n")
                            .answer();
                    assertEquals(500, answer.status(), range + answer.text());
                    assertFalse(answer.text().contains(SECRET.substring(0, 4)), range + answer.text());
                }
            }
        }
    }

    /** When the fields of a request are asked for, which is after the look-up, makes a directory a link. */
    private static Handler linking(Handler handler, Path directory, Path target) {
        return Handlers.around(
                handler,
                (request, response, callback) ->
                        handler.handle(Meanwhile.atFields(request, () -> link(directory, target)), response, callback));
    }

    @Test
    void mayNotChangeAfterADirectoryWasFound() throws Exception {
        Path found = first.resolve("both");
        try (TestServer server = server(linking(files, found, directory.resolve("outside/secret.txt")))) {
            for (String range : List.of(
                    "",
                    "Range: bytes=0-3\r\n",
                    "Range: bytes=0-3,8-11\r\n",
                    "Range: bytes=0-3\r\nRange: bytes=8-11\r\n",
                    "Range:\r\nRange: bytes=0-3,8-11\r\n")) {
                Files.delete(found);
                Files.createDirectory(found);
                try (RawClient client = server.client()) {
                    Answer answer = client.send("GET /both HTTP/1.1\r\nHost: a\r\n" + range + "\r\n")
                            .answer();
                    assertEquals(500, answer.status(), range + answer.text());
                    assertFalse(answer.text().contains(SECRET.substring(0, 4)), range + answer.text());
                }
            }
        }
    }

    private XSendfileHandler delegating() {
        XSendfileHandler handler = new XSendfileHandler(Handlers.fields(
                () -> Map.of("X-Sendfile", first.resolve("one.txt").toString())));
        handler.addRoot(first.toString());
        return handler;
    }

    @Test
    void mayNotChangeBeforeADelegatedFileIsOpen() throws Exception {
        XSendfileHandler handler = delegating();
        handler.setMimeTypes(replacing(first.resolve("one.txt"), directory.resolve("outside/secret.txt")));
        try (TestServer server = server(handler);
                RawClient client = server.client()) {
            assertEquals(404, client.get("/").answer().status());
            // Closed by a thread of the server's, maybe after the answer.
            Await.until("closed", () -> Leaks.descriptors(directory) == 0);
        }
    }

    @Test
    void mayNotChangeAfterADelegatedFileThatCannotBeOpened() throws Exception {
        Path file = first.resolve("one.txt");
        XSendfileHandler handler = delegating();
        handler.setMimeTypes(replacing(file, file));
        try (Logged logged = new Logged("dev.millrace.xsendfile");
                TestServer server = server(handler);
                RawClient client = server.client()) {
            assertEquals(500, client.get("/").answer().status());
            assertEquals(1, logged.count("Not sending " + file + ": "));
            Files.delete(file);
            Files.writeString(file, "one");
            assertThrows(
                    FileSystemException.class,
                    () -> handler.getSendfileContentFactory()
                            .getContent(first.toString().length() + ":" + file),
                    "nothing that opens it later");
        }
    }

    private static void moveAwayAndLink(Path path, Path target) throws Exception {
        Files.move(path, target);
        Files.createSymbolicLink(path, target);
    }

    @Test
    void leadNowhereWhereADelegatedFileWas() throws Exception {
        try (TestServer server = server(delegating());
                RawClient client = server.client()) {
            assertEquals("one", client.get("/").answer().text());
            moveAwayAndLink(first.resolve("one.txt"), directory.resolve("outside/one.txt"));
            assertEquals(404, client.get("/").answer().status());
        }
    }

    @Test
    void leadNowhereWhereTheDirectoryOfAnOpenFileWas() throws Exception {
        assertDirectoryIsNotFollowed(files, "/both/file.txt");
    }

    @Test
    void leadNowhereWhereTheAliasChecksOfAContextSaySo() throws Exception {
        ContextHandler context = new ContextHandler(files, "/app");
        context.clearAliasChecks();
        assertDirectoryIsNotFollowed(context, "/app/both/file.txt");
    }

    @Test
    void areAContextsBusinessForAHandlerThatHadNoneBefore() throws Exception {
        try (TestServer server = server(files);
                RawClient client = server.client()) {
            assertEquals(404, client.get("/link.txt").answer().status());
        }
        // Which allows links by default, from its own base.
        ContextHandler context = new ContextHandler(files, "/");
        context.setBaseResourceAsPath(first);
        try (TestServer server = server(context);
                RawClient client = server.client()) {
            assertEquals(SECRET, client.get("/link.txt").answer().text());
        }
        try (TestServer server = server(files);
                RawClient client = server.client()) {
            assertEquals(404, client.get("/link.txt").answer().status());
        }
    }

    private static int status(RawClient client, String path) {
        try {
            return client.get(path).answer().status();
        } catch (IOException x) {
            throw new UncheckedIOException(x);
        }
    }

    private void assertDirectoryIsNotFollowed(Handler handler, String path) throws Exception {
        Files.writeString(first.resolve("both/file.txt"), "moved");
        files.getSettings().setValidMillis(0);
        try (TestServer server = server(handler);
                RawClient client = server.client()) {
            assertEquals("moved", client.get(path).answer().text());
            SendfileContentFactory cache = files.getSendfileContentFactory();
            assertSame(cache.getContent("/both/file.txt"), cache.getContent("/both/file.txt"), "still in its place");
            moveAwayAndLink(first.resolve("both"), directory.resolve("outside/both"));
            // Looked at every second: what is sent until then is what has been open since before.
            Await.until("judged anew", () -> status(client, path) == 404);
        }
    }

    @Test
    void doNotConcernAStyleSheetOfItsOwnPlace() throws Exception {
        Path style = Files.writeString(directory.resolve("outside/own.css"), "own");
        files.setStyleSheet(ResourceFactory.root().newResource(style));
        try (TestServer server = server(files);
                RawClient client = server.client()) {
            assertEquals("own", client.get("/own.css").answer().text());
        }
    }
}
