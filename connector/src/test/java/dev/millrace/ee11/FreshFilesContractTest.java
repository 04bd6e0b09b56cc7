package dev.millrace.ee11;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.millrace.files.SendfileHandler;
import dev.millrace.files.ServerSendfile;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.RawClient.Answer;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import org.eclipse.jetty.ee11.servlet.ResourceServlet;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.http.CompressedContentFormat;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.handler.ContextHandler;
import org.eclipse.jetty.server.handler.ResourceHandler;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A request sees all of a change that was made before it, as of Jetty's own servlet, which looks at the file system for each request.
 * So it is by default, but for {@link SendfileHandler}, which believes a file for a second, as Jetty's handler does.
 */
@ParameterizedClass
@EnumSource
class FreshFilesContractTest {
    private static final String LONG_AGO = "Sun, 09 Sep 2001 01:46:40 GMT";

    @Parameter
    Serving serving;

    @TempDir
    Path directory;

    private TestServer server;
    private RawClient client;

    /** All with entity tags, and variants by gzip. */
    enum Serving {
        /** The control: what fails with it is a wrong test. */
        JETTYS_SERVLET {
            @Override
            Handler of(Path directory, Server server) {
                return servlet(directory, new ResourceServlet());
            }
        },
        SERVLET {
            @Override
            Handler of(Path directory, Server server) {
                return servlet(directory, new SendfileServlet());
            }
        },
        SERVER_WITH_SERVLET {
            @Override
            Handler of(Path directory, Server server) {
                server.addBean(new ServerSendfile(server));
                return servlet(directory, new ResourceServlet());
            }
        },
        SERVER_WITH_HANDLER {
            @Override
            Handler of(Path directory, Server server) {
                server.addBean(new ServerSendfile(server));
                return context(directory, handler(directory, new ResourceHandler()));
            }
        },
        HANDLER {
            @Override
            Handler of(Path directory, Server server) {
                return handler(directory, looking(new SendfileHandler()));
            }
        },
        HANDLER_IN_CONTEXT {
            @Override
            Handler of(Path directory, Server server) {
                return context(directory, handler(directory, looking(new SendfileHandler())));
            }
        };

        abstract Handler of(Path directory, Server server);

        private static SendfileHandler looking(SendfileHandler handler) {
            handler.getSettings().setValidMillis(0);
            return handler;
        }

        private static Handler context(Path directory, Handler handler) {
            ContextHandler context = new ContextHandler(handler, "/");
            context.setBaseResourceAsPath(directory);
            return context;
        }

        private static Handler handler(Path directory, ResourceHandler handler) {
            handler.setBaseResourceAsString(directory.toString());
            handler.setEtags(true);
            handler.setPrecompressedFormats(CompressedContentFormat.GZIP);
            return handler;
        }

        private static Handler servlet(Path directory, ResourceServlet servlet) {
            ServletContextHandler context = new ServletContextHandler();
            context.setBaseResourceAsPath(directory);
            ServletHolder files = new ServletHolder(servlet);
            files.setInitParameter("etags", "true");
            files.setInitParameter("precompressed", "gzip=.gz");
            context.addServlet(files, "/*");
            return context;
        }
    }

    @BeforeEach
    void start() throws Exception {
        server = new TestServer(Connectors.NIO::http);
        server.start(serving.of(directory, server.server()));
        client = server.client();
    }

    @AfterEach
    void stop() throws Exception {
        client.close();
        server.close();
    }

    private Answer get(String path, String... fields) throws Exception {
        return client.send("GET " + path + " HTTP/1.1\r\nHost: a\r\n" + String.join("", fields) + "\r\n")
                .answer();
    }

    private int status(String path, String... fields) throws Exception {
        return get(path, fields).status();
    }

    private void write(String name, String text) throws Exception {
        Files.writeString(directory.resolve(name), text);
    }

    private void setTime(String name, long epochSecond) throws Exception {
        Files.setLastModifiedTime(directory.resolve(name), FileTime.from(Instant.ofEpochSecond(epochSecond)));
    }

    // An application that makes a file when it is asked for it, and redirects to it.
    @Test
    void ofAFileThatWasMissing() throws Exception {
        for (int i = 0; i < 3; i++) {
            assertEquals(404, status("/new.txt"));
            assertEquals(404, status("/sub/new.txt"));
            write("new.txt", "new" + i);
            Files.createDirectories(directory.resolve("sub"));
            write("sub/new.txt", "sub" + i);
            assertEquals("new" + i, get("/new.txt").text());
            assertEquals("sub" + i, get("/sub/new.txt").text());
            Files.delete(directory.resolve("new.txt"));
            Files.delete(directory.resolve("sub/new.txt"));
        }
        assertEquals(404, status("/new.txt"));
    }

    @Test
    void ofAFileThatIsWrittenInItsPlace() throws Exception {
        for (int size : new int[] {10, 20_000, 200_000}) {
            TestFiles.write(directory, "file.bin", size);
            setTime("file.bin", 1_000_000_000);
            assertEquals(size, get("/file.bin").body().length);
            byte[] longer = TestFiles.write(directory, "file.bin", size + 1);
            assertArrayEquals(longer, get("/file.bin").body());
            byte[] same = TestFiles.write(directory, "other", size + 1);
            Files.write(directory.resolve("file.bin"), same);
            // Which the clock of the file system need not have noticed.
            setTime("file.bin", 1_000_000_001 + size);
            assertArrayEquals(same, get("/file.bin").body());
        }
    }

    /** Twice, before the clock of its times has ticked. */
    @Test
    void ofAFileThatIsAskedForOftenBetweenTwoWrites() throws Exception {
        long next = Instant.now().plusSeconds(3600).getEpochSecond();
        write("file.txt", "first");
        setTime("file.txt", next);
        for (int i = 0; i < 20; i++) {
            assertEquals("first", get("/file.txt").text());
        }
        write("file.txt", "other");
        setTime("file.txt", next);
        assertEquals("other", get("/file.txt").text());
    }

    @Test
    void ofAFileThatIsReplacedByOneOfTheSameSizeAndTime() throws Exception {
        TestFiles.write(directory, "file.bin", 100_000);
        setTime("file.bin", 1_000_000_000);
        assertEquals(100_000, get("/file.bin").body().length);
        for (int i = 0; i < 3; i++) {
            byte[] bytes = TestFiles.write(directory, "other" + i, 100_000);
            setTime("other" + i, 1_000_000_000);
            Files.move(directory.resolve("other" + i), directory.resolve("file.bin"), StandardCopyOption.ATOMIC_MOVE);
            assertArrayEquals(bytes, get("/file.bin").body());
        }
    }

    @Test
    void byTheConditionsOfARequest() throws Exception {
        write("file.txt", "first");
        setTime("file.txt", 1_000_000_000);
        Answer first = get("/file.txt");
        assertEquals(LONG_AGO, first.headers().get("Last-Modified"));
        String tag = first.headers().get("ETag");
        assertEquals(304, status("/file.txt", "If-Modified-Since: " + LONG_AGO + "\r\n"));
        assertEquals(304, status("/file.txt", "If-None-Match: " + tag + "\r\n"));
        assertEquals(200, status("/file.txt", "If-Unmodified-Since: " + LONG_AGO + "\r\n"));
        assertEquals(200, status("/file.txt", "If-Match: " + tag + "\r\n"));
        write("file.txt", "second, and longer");
        setTime("file.txt", 1_000_000_100);
        assertEquals(200, status("/file.txt", "If-Modified-Since: " + LONG_AGO + "\r\n"));
        write("file.txt", "third");
        setTime("file.txt", 1_000_000_200);
        Answer third = get("/file.txt", "If-None-Match: " + tag + "\r\n");
        assertEquals("third", third.text());
        assertNotEquals(tag, third.headers().get("ETag"));
        write("file.txt", "fourth");
        setTime("file.txt", 1_000_000_300);
        assertEquals(412, status("/file.txt", "If-Unmodified-Since: " + LONG_AGO + "\r\n"));
        write("file.txt", "fifth");
        setTime("file.txt", 1_000_000_400);
        assertEquals(412, status("/file.txt", "If-Match: " + third.headers().get("ETag") + "\r\n"));
        assertEquals("fifth", get("/file.txt").text());
    }

    @Test
    void ofRangesAndHeads() throws Exception {
        write("file.txt", "0123456789");
        assertEquals(
                "bytes 2-4/10",
                get("/file.txt", "Range: bytes=2-4\r\n").headers().get("Content-Range"));
        write("file.txt", "abcdefghijkl");
        Answer part = get("/file.txt", "Range: bytes=2-4\r\n");
        assertEquals("bytes 2-4/12", part.headers().get("Content-Range"));
        assertEquals("cde", part.text());
        write("file.txt", "ABCDEFGHIJKLMN");
        String parts = get("/file.txt", "Range: bytes=0-1,5-6\r\n").text();
        assertEquals(
                List.of(true, true),
                List.of(parts.contains("bytes 0-1/14\r\n\r\nAB\r\n"), parts.contains("bytes 5-6/14\r\n\r\nFG\r\n")));
        write("file.txt", "short");
        assertEquals(
                "5",
                client.send("HEAD /file.txt HTTP/1.1\r\nHost: a\r\n\r\n")
                        .answer("HEAD")
                        .headers()
                        .get("Content-Length"));
        assertEquals(416, status("/file.txt", "Range: bytes=7-\r\n"));
    }

    @Test
    void ofVariants() throws Exception {
        write("page.html", "plain");
        for (int i = 0; i < 2; i++) {
            assertEquals("plain", get("/page.html", "Accept-Encoding: gzip\r\n").text());
            Files.write(directory.resolve("page.html.gz"), ("packed" + i).getBytes(StandardCharsets.US_ASCII));
            Answer packed = get("/page.html", "Accept-Encoding: gzip\r\n");
            assertEquals("packed" + i, packed.text());
            assertEquals("gzip", packed.headers().get("Content-Encoding"));
            assertEquals("Accept-Encoding", get("/page.html").headers().get("Vary"));
            Files.delete(directory.resolve("page.html.gz"));
        }
        Answer plain = get("/page.html", "Accept-Encoding: gzip\r\n");
        assertEquals("plain", plain.text());
        assertNull(plain.headers().get("Content-Encoding"));
    }

    @Test
    void ofWelcomeFiles() throws Exception {
        Files.createDirectory(directory.resolve("sub"));
        for (int i = 0; i < 2; i++) {
            assertEquals(true, get("/sub/").text().contains("Directory: /sub/"));
            write("sub/index.html", "welcome" + i);
            assertEquals("welcome" + i, get("/sub/").text());
            write("sub/index.html", "welcome again" + i);
            assertEquals("welcome again" + i, get("/sub/").text());
            Files.delete(directory.resolve("sub/index.html"));
        }
        write("sub/listed.txt", "");
        assertEquals(true, get("/sub/").text().contains("listed.txt"));
    }

    @Test
    void ofWhatBecomesAnotherKindOfThing() throws Exception {
        write("thing", "a file");
        write("target", "the target");
        assertEquals("a file", get("/thing").text());
        Files.delete(directory.resolve("thing"));
        Files.createDirectory(directory.resolve("thing"));
        assertEquals(302, status("/thing"));
        Files.delete(directory.resolve("thing"));
        Files.createSymbolicLink(directory.resolve("thing"), directory.resolve("target"));
        assertEquals("the target", get("/thing").text());
        write("target", "another target");
        assertEquals("another target", get("/thing").text());
        Files.delete(directory.resolve("target"));
        assertEquals(404, status("/thing"));
        Files.delete(directory.resolve("thing"));
        write("thing", "a file again");
        assertEquals("a file again", get("/thing").text());
    }
}
