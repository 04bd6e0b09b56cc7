package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.ee11.SendfileServlet;
import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Leaks;
import dev.millrace.testing.Meanwhile;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.RawClient.Answer;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import dev.millrace.xsendfile.XSendfileHandler;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import org.eclipse.jetty.ee11.servlet.ResourceServlet;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.http.CompressedContentFormat;
import org.eclipse.jetty.http.MimeTypes;
import org.eclipse.jetty.http.content.HttpContent;
import org.eclipse.jetty.http.content.ResourceHttpContentFactory;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.handler.ResourceHandler;
import org.eclipse.jetty.util.resource.ResourceFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A file that is replaced, or deleted, and let go of, while a request stands still after its look-up and before the
 * first byte of its answer.
 */
@EnabledOnOs(OS.LINUX)
class ReplacedFileTest {
    private static final FileTime FIRST = FileTime.from(Instant.ofEpochSecond(1_000_000_000));
    private static final FileTime SECOND = FileTime.from(Instant.ofEpochSecond(1_000_000_100));
    private static final String DATE_OF_FIRST = "Sun, 09 Sep 2001 01:46:40 GMT";
    private static final String DATE_OF_SECOND = "Sun, 09 Sep 2001 01:48:20 GMT";

    @TempDir
    Path directory;

    private byte[] second;
    /** What happens to a request that says so, once its answer has its fields; or, of one that says it early, before. */
    private volatile Meanwhile.Action meanwhile;

    /** What serves the file. */
    enum Serving {
        HANDLER {
            @Override
            Handler of(Path directory, TestServer server) {
                SendfileHandler files = Handlers.files(directory);
                files.getSettings().setValidMillis(0);
                files.setPrecompressedFormats(CompressedContentFormat.GZIP);
                files.setEtags(true);
                return files;
            }
        },
        DELEGATED {
            @Override
            Handler of(Path directory, TestServer server) {
                XSendfileHandler files = new XSendfileHandler(Handlers.naming(() -> directory));
                files.addRoot(directory.toString());
                return files;
            }
        },
        SERVLET {
            @Override
            Handler of(Path directory, TestServer server) {
                return context(directory, new ServletHolder(new SendfileServlet()));
            }
        },
        /** In no context: what it is asked for, and when its answer ends, is told to nobody. */
        JETTYS_HANDLER {
            @Override
            Handler of(Path directory, TestServer server) {
                server.server().addBean(new ServerSendfile(server.server()));
                ResourceHandler files = new ResourceHandler();
                files.setBaseResource(ResourceFactory.of(files).newResource(directory));
                files.setPrecompressedFormats(CompressedContentFormat.GZIP);
                files.setEtags(true);
                return files;
            }
        },
        JETTYS_SERVLET {
            @Override
            Handler of(Path directory, TestServer server) {
                ServerSendfile sendfile = new ServerSendfile(server.server());
                sendfile.getSettings().setValidMillis(0);
                server.server().addBean(sendfile);
                return context(directory, new ServletHolder(new ResourceServlet()));
            }
        };

        abstract Handler of(Path directory, TestServer server);

        private static Handler context(Path directory, ServletHolder files) {
            ServletContextHandler context = new ServletContextHandler();
            context.setBaseResourceAsPath(directory);
            files.setInitParameter("cacheValidationTime", "0");
            files.setInitParameter("etags", "true");
            files.setInitParameter("precompressed", "gzip=.gz");
            context.addServlet(files, "/*");
            return context;
        }
    }

    /** Stands still where a request says so. */
    private Handler halting(Handler handler) {
        // Or its thread might be the one that selects.
        return Handlers.blockingAround(handler, (request, response, callback) -> {
            String when = String.valueOf(request.getHeaders().get("X-Halt"));
            return switch (when) {
                case "late" ->
                    handler.handle(request, Meanwhile.atLastModified(request, response, this::halt), callback);
                // Asked for when the file is found.
                case "early" -> handler.handle(Meanwhile.atFields(request, this::halt), response, callback);
                default -> handler.handle(request, response, callback);
            };
        });
    }

    private void halt() throws Exception {
        Meanwhile.Action once = meanwhile;
        meanwhile = null;
        if (once != null) {
            once.run();
        }
    }

    @BeforeEach
    void files() throws Exception {
        write("file.bin", 100_000, FIRST);
    }

    private byte[] write(String name, int size, FileTime time) throws Exception {
        byte[] bytes = TestFiles.write(directory, name, size);
        Files.setLastModifiedTime(directory.resolve(name), time);
        return bytes;
    }

    private TestServer server(Serving serving) throws Exception {
        TestServer server = new TestServer(Connectors.NIO::http);
        return server.start(halting(serving.of(directory, server)));
    }

    private void moveSecondTo(String name) throws Exception {
        second = write("second", 70_001, SECOND);
        Files.move(directory.resolve("second"), directory.resolve(name), StandardCopyOption.ATOMIC_MOVE);
    }

    /** Puts the second version in place of the first, has it sent, and waits until the first is closed. */
    private void replace(TestServer server, String name) throws Exception {
        moveSecondTo(name);
        try (RawClient client = server.client()) {
            assertArrayEquals(second, client.get("/" + name).answer().body());
        }
        Await.until("the first is closed", () -> Leaks.descriptors(directory) == 1);
    }

    private void delete(TestServer server) throws Exception {
        Files.delete(directory.resolve("file.bin"));
        try (RawClient client = server.client()) {
            assertEquals(404, client.get("/file.bin").answer().status());
        }
        Await.until("closed", () -> Leaks.descriptors(directory) == 0);
    }

    /** The answer to a request that stands still. */
    private Answer halted(RawClient client, String... fields) throws Exception {
        Answer answer = client.send(
                        "GET /file.bin HTTP/1.1\r\nHost: a\r\nX-Halt: late\r\n" + String.join("", fields) + "\r\n")
                .answer();
        assertNull(meanwhile, "it did stand still");
        return answer;
    }

    private void assertIsSecond(Answer answer, String latestTag) {
        assertEquals(200, answer.status());
        assertArrayEquals(second, answer.body());
        assertEquals(DATE_OF_SECOND, answer.headers().get("Last-Modified"));
        assertEquals(latestTag, answer.headers().get("ETag"));
        assertNull(answer.headers().get("Content-Range"));
    }

    private static String tag(RawClient client) throws Exception {
        return client.send("HEAD /file.bin HTTP/1.1\r\nHost: a\r\n\r\n")
                .answer("HEAD")
                .headers()
                .get("ETag");
    }

    @ParameterizedTest
    @EnumSource
    void isSentAsItIsByThen(Serving serving) throws Exception {
        String[] ranges = {
            "",
            "Range: bytes=10-19\r\n",
            "Range: bytes=10-19\r\nIf-Range: " + DATE_OF_FIRST + "\r\n",
            "Range: bytes=90000-\r\n"
        };
        for (String range : ranges) {
            write("file.bin", 100_000, FIRST);
            try (TestServer server = server(serving);
                    RawClient client = server.client()) {
                meanwhile = () -> replace(server, "file.bin");
                Answer answer = halted(client, range);
                assertIsSecond(answer, tag(client));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void isNotFoundWhenItIsDeleted(Serving serving) throws Exception {
        try (TestServer server = server(serving);
                RawClient client = server.client()) {
            meanwhile = () -> delete(server);
            Answer answer = halted(client);
            assertEquals(404, answer.status());
            assertNull(answer.headers().get("Last-Modified"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void isHeldAgainstTheConditionsOfTheRequest(Serving serving) throws Exception {
        try (TestServer server = server(serving);
                RawClient client = server.client()) {
            String[] conditions = {
                "If-Match: " + tag(client),
                "If-Unmodified-Since: " + DATE_OF_FIRST,
                "If-Unmodified-Since: " + DATE_OF_SECOND
            };
            for (String condition : conditions) {
                write("file.bin", 100_000, FIRST);
                meanwhile = () -> replace(server, "file.bin");
                int status = halted(client, condition + "\r\n").status();
                assertEquals(condition.endsWith(DATE_OF_SECOND) ? 200 : 412, status, condition);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"HANDLER", "SERVLET", "JETTYS_HANDLER", "JETTYS_SERVLET"})
    void hasNoTagOfAnotherVersionWhenItIsAVariant(Serving serving) throws Exception {
        write("file.bin.gz", 50_000, FIRST);
        try (TestServer server = server(serving);
                RawClient client = server.client()) {
            meanwhile = () -> {
                Files.delete(directory.resolve("file.bin"));
                replace(server, "file.bin.gz");
            };
            Answer answer = halted(client, "Accept-Encoding: gzip\r\n");
            assertEquals(200, answer.status());
            assertArrayEquals(second, answer.body());
            assertEquals("gzip", answer.headers().get("Content-Encoding"));
            assertNull(answer.headers().get("ETag"));
        }
    }

    @ParameterizedTest
    @EnumSource(names = "HANDLER")
    void isSentWholeInPlaceOfSeveralRanges(Serving serving) throws Exception {
        try (TestServer server = server(serving);
                RawClient client = server.client()) {
            meanwhile = () -> replace(server, "file.bin");
            Answer answer = client.send(
                            "GET /file.bin HTTP/1.1\r\nHost: a\r\nX-Halt: early\r\nRange: bytes=0-9,20-29\r\n\r\n")
                    .answer();
            assertIsSecond(answer, tag(client));
            assertFalse(answer.headers().get("Content-Type").startsWith("multipart/"));
        }
    }

    /** Replaces it and has another file that was let go of later closed: by then this one is, unless it is held. */
    private void replaceHeld(TestServer server) throws Exception {
        moveSecondTo("file.bin");
        write("later", 50_000, FIRST);
        try (RawClient client = server.client()) {
            assertArrayEquals(second, client.get("/file.bin").answer().body());
            assertEquals(200, client.get("/later").answer().status());
            Files.delete(directory.resolve("later"));
            assertEquals(404, client.get("/later").answer().status());
        }
        Await.until("closed", () -> Leaks.descriptors(directory.resolve("later")) == 0);
    }

    @ParameterizedTest
    @EnumSource(names = {"HANDLER", "SERVLET", "JETTYS_SERVLET"})
    void hasSeveralRangesOfOneVersion(Serving serving) throws Exception {
        byte[] first = write("file.bin", 100_000, FIRST);
        try (TestServer server = server(serving);
                RawClient client = server.client()) {
            meanwhile = () -> replaceHeld(server);
            Answer answer = halted(client, "Range: bytes=0-19999,50000-99999\r\n");
            assertEquals(206, answer.status());
            assertEquals(DATE_OF_FIRST, answer.headers().get("Last-Modified"));
            String body = new String(answer.body(), StandardCharsets.ISO_8859_1);
            assertTrue(body.contains(new String(first, 0, 20_000, StandardCharsets.ISO_8859_1)));
            assertTrue(body.contains(new String(first, 50_000, 50_000, StandardCharsets.ISO_8859_1)));
        }
    }

    @Test
    void cutsOffSeveralRangesOfJettysHandlerInNoContext() throws Exception {
        try (TestServer server = server(Serving.JETTYS_HANDLER);
                RawClient client = server.client()) {
            meanwhile = () -> replace(server, "file.bin");
            assertThrows(EOFException.class, () -> halted(client, "Range: bytes=0-19999,50000-99999\r\n"));
            assertNull(meanwhile, "it did stand still");
        }
    }

    @Test
    void cannotBeHeldForSeveralRangesWhenItIsClosed() throws Exception {
        SendfileContentFactory files = new SendfileContentFactory(new ResourceHttpContentFactory(
                ResourceFactory.root().newResource(directory), MimeTypes.DEFAULTS, ByteBufferPool.SIZED_NON_POOLING));
        files.start();
        try {
            HttpContent first = files.getContent("/file.bin");
            moveSecondTo("file.bin");
            assertEquals(70_001, files.getContent("/file.bin").getContentLengthValue());
            Await.until("the first is closed", () -> Leaks.descriptors(directory) == 1);
            assertThrows(IOException.class, () -> ((FileResource) first.getResource()).hold(first, null));
        } finally {
            files.stop();
        }
    }
}
