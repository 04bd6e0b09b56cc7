package dev.millrace.ee11;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.files.SendfileContentFactory;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.RawClient.Answer;
import dev.millrace.testing.TestServer;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.http.DateGenerator;
import org.eclipse.jetty.http.MimeTypes;
import org.eclipse.jetty.http.content.HttpContent;
import org.eclipse.jetty.http.content.ResourceHttpContentFactory;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.util.resource.ResourceFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ranges are of the version that their conditions were judged by, though the file is replaced in between. */
class RangesOfReplacedFilesTest {
    private static final Instant FIRST = Instant.parse("2020-01-01T00:00:00Z");

    @TempDir
    Path directory;

    private final AtomicInteger lookUps = new AtomicInteger();
    private volatile Path target;
    private SendfileContentFactory factory;

    /** The servlet asks where a request leads to before each of its two look-ups. */
    private final class Replacing extends SendfileServlet {
        private static final long serialVersionUID = 1L;

        @Override
        protected String getEncodedPathInContext(HttpServletRequest request, boolean included) {
            Path replaced = target;
            if (replaced != null && lookUps.incrementAndGet() == 2) {
                replace(replaced);
            }
            return super.getEncodedPathInContext(request, included);
        }
    }

    private void replace(Path replaced) {
        try {
            Path next = Files.writeString(directory.resolve("next"), "B".repeat(40));
            Files.setLastModifiedTime(next, FileTime.from(FIRST.plusSeconds(1000)));
            Files.move(next, replaced, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException x) {
            throw new UncheckedIOException(x);
        }
    }

    private void first(Path file) throws IOException {
        Files.writeString(file, "A".repeat(50));
        Files.setLastModifiedTime(file, FileTime.from(FIRST));
    }

    private ServletContextHandler context() {
        ServletContextHandler context = new ServletContextHandler("/");
        ServletHolder files = new ServletHolder(new Replacing());
        files.setInitParameter("baseResource", directory.toString());
        files.setInitParameter("cacheValidationTime", "0");
        files.setInitParameter("precompressed", "true");
        context.addServlet(files, "/*");
        return context;
    }

    /** Its servlet finds files by what the context has. */
    private ServletContextHandler contextWithAFactory() {
        ServletContextHandler context = context();
        HttpContent.Factory files = new ResourceHttpContentFactory(
                ResourceFactory.root().newResource(directory), MimeTypes.DEFAULTS, ByteBufferPool.SIZED_NON_POOLING);
        factory = new SendfileContentFactory(files);
        context.setAttribute(HttpContent.Factory.class.getName(), factory);
        return context;
    }

    @BeforeEach
    void write() throws IOException {
        first(directory.resolve("file.txt"));
    }

    private Answer ranges(RawClient client, Path replaced, String ranges, String fields) throws Exception {
        lookUps.set(0);
        target = replaced;
        return client.send("GET /file.txt HTTP/1.1\r\nHost: a\r\nRange: bytes=" + ranges + "\r\nIf-Range: "
                        + DateGenerator.formatDate(FIRST) + "\r\n" + fields + "\r\n")
                .answer();
    }

    private static void assertFirst(Answer answer) {
        assertEquals(206, answer.status());
        assertTrue(answer.text().contains("A".repeat(10)), answer.text());
        assertTrue(!answer.text().contains("B".repeat(10)), answer.text());
        assertEquals(DateGenerator.formatDate(FIRST), answer.headers().get("Last-Modified"));
    }

    private static void assertSecond(Answer answer) {
        assertEquals(200, answer.status());
        assertEquals("B".repeat(40), answer.text());
        assertNull(answer.headers().get("Content-Range"));
    }

    @Test
    void oneRangeAndSeveral() throws Exception {
        oneRangeAndSeveral(this::context);
    }

    @Test
    void oneRangeAndSeveralByAFactoryOfTheContext() throws Exception {
        oneRangeAndSeveral(this::contextWithAFactory);
        assertTrue(factory.isStopped());
    }

    private void oneRangeAndSeveral(Supplier<ServletContextHandler> context) throws Exception {
        Path file = directory.resolve("file.txt");
        for (String ranges : new String[] {"10-29", "0-9,20-39"}) {
            first(file);
            try (TestServer server = new TestServer(Connectors.NIO::http).start(context.get());
                    RawClient client = server.client()) {
                assertFirst(ranges(client, file, ranges, ""));
                // And is not believed any longer than that request.
                assertSecond(ranges(client, null, ranges, ""));
                assertSecond(client.get("/file.txt").answer());
            }
        }
    }

    @Test
    void ofAVariant() throws Exception {
        Path variant = directory.resolve("file.txt.gz");
        first(variant);
        // A date that the file had too would hold for neither.
        Files.setLastModifiedTime(directory.resolve("file.txt"), FileTime.from(FIRST.minusSeconds(1000)));
        try (TestServer server = new TestServer(Connectors.NIO::http).start(context());
                RawClient client = server.client()) {
            Answer answer = ranges(client, variant, "10-29", "Accept-Encoding: gzip\r\n");
            assertFirst(answer);
            assertEquals("gzip", answer.headers().get("Content-Encoding"));
            assertSecond(ranges(client, null, "10-29", "Accept-Encoding: gzip\r\n"));
        }
    }

    @Test
    void noVariantThatComesInBetween() throws Exception {
        Path variant = directory.resolve("file.txt.gz");
        try (TestServer server = new TestServer(Connectors.NIO::http).start(context());
                RawClient client = server.client()) {
            Answer answer = ranges(client, variant, "10-29", "Accept-Encoding: gzip\r\n");
            assertFirst(answer);
            assertNull(answer.headers().get("Content-Encoding"));
        }
    }
}
