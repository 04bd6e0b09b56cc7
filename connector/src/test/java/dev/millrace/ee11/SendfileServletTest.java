package dev.millrace.ee11;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.files.SendfileContentFactory;
import dev.millrace.files.SendfileSettings;
import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Leaks;
import dev.millrace.testing.Logged;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.RawClient.Answer;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.eclipse.jetty.compression.server.CompressionHandler;
import org.eclipse.jetty.ee11.servlet.DefaultServlet;
import org.eclipse.jetty.ee11.servlet.FilterHolder;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletContextRequest;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.http.MimeTypes;
import org.eclipse.jetty.http.content.HttpContent;
import org.eclipse.jetty.http.content.ResourceHttpContentFactory;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.util.resource.ResourceFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files by sendfile from servlets. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#ours")
class SendfileServletTest {
    @Parameter
    Connectors connectors;

    @TempDir
    Path directory;

    private ServletContextHandler context() {
        ServletContextHandler context = new ServletContextHandler("/app");
        ServletHolder files = context.addServlet(SendfileServlet.class, "/files/*");
        files.setInitParameter("baseResource", directory.toString());
        return context;
    }

    @Test
    void sendsAFileByTheKernel() throws Exception {
        byte[] bytes = TestFiles.write(directory, "file.bin", 1_000_000);
        try (TestServer server = new TestServer(connectors::http).start(context());
                RawClient client = server.client()) {
            for (int i = 0; i < 3; i++) {
                assertArrayEquals(
                        bytes, client.get("/app/files/file.bin").answer().body());
            }
            assertEquals(3, server.transfers().getRegions());
            Await.until("counted", () -> server.transfers().getTransferredBytes() > 2_000_000);
        }
    }

    // Jetty's channel would abort what is complete, with an exception made for it, for each small file.
    @Test
    void owesTheServletsOutputNothing() throws Exception {
        byte[] bytes = TestFiles.write(directory, "small.bin", 808);
        ServletContextHandler context = context();
        List<Boolean> incomplete = new CopyOnWriteArrayList<>();
        context.addFilter(
                new FilterHolder((Filter) (request, response, chain) -> {
                    chain.doFilter(request, response);
                    incomplete.add(ServletContextRequest.getServletContextRequest(request)
                            .getServletChannel()
                            .getHttpOutput()
                            .isContentIncomplete());
                }),
                "/*",
                EnumSet.allOf(DispatcherType.class));
        ServletHolder cached = context.addServlet(SendfileServlet.class, "/cached/*");
        cached.setInitParameter("baseResource", directory.toString());
        cached.setInitParameter("maxCacheSize", "100000");
        try (TestServer server = new TestServer(connectors::http).start(context);
                RawClient client = server.client()) {
            for (String servlet : List.of("files", "cached", "cached", "cached")) {
                Answer whole = client.get("/app/" + servlet + "/small.bin").answer();
                assertEquals("808", whole.headers().get("Content-Length"));
                assertArrayEquals(bytes, whole.body());
                Answer range = client.get("/app/" + servlet + "/small.bin", "Range: bytes=8-")
                        .answer();
                assertEquals("800", range.headers().get("Content-Length"));
                assertArrayEquals(Arrays.copyOfRange(bytes, 8, 808), range.body());
            }
            // The client has its answer before the filter has the thread again.
            Await.until("all asked", () -> incomplete.size() == 8);
        }
        assertEquals(Collections.nCopies(8, false), incomplete);
    }

    @Test
    void sendsARange() throws Exception {
        byte[] bytes = TestFiles.write(directory, "file.bin", 1_000_000);
        try (TestServer server = new TestServer(connectors::http).start(context());
                RawClient client = server.client()) {
            Answer answer =
                    client.get("/app/files/file.bin", "Range: bytes=-500000").answer();
            assertEquals(206, answer.status());
            assertArrayEquals(Arrays.copyOfRange(bytes, 500_000, 1_000_000), answer.body());
            assertEquals(1, server.transfers().getRegions());
        }
    }

    @Test
    void sendsThePartsOfSeveralRanges() throws Exception {
        byte[] bytes = TestFiles.write(directory, "file.bin", 1_000_000);
        try (TestServer server = new TestServer(connectors::http).start(context());
                RawClient client = server.client()) {
            for (int i = 1; i <= 3; i++) {
                Answer answer = client.get("/app/files/file.bin", "Range: bytes=0-99999,200000-200009,500000-999999")
                        .answer();
                assertEquals(206, answer.status());
                String body = answer.text();
                for (int[] part : new int[][] {{0, 100_000}, {200_000, 200_010}, {500_000, 1_000_000}}) {
                    String header = "Content-Range: bytes " + part[0] + "-" + (part[1] - 1) + "/1000000\r\n\r\n";
                    int begin = body.indexOf(header) + header.length();
                    assertTrue(begin > header.length(), header);
                    assertEquals(
                            new String(bytes, part[0], part[1] - part[0], StandardCharsets.ISO_8859_1),
                            body.substring(begin, begin + part[1] - part[0]),
                            header);
                }
                // The part of ten bytes is copied.
                assertEquals(2L * i, server.transfers().getRegions());
            }
            assertArrayEquals(bytes, client.get("/app/files/file.bin").answer().body());
        }
    }

    @Test
    void copiesThePartsThroughAFilterThatWraps() throws Exception {
        TestFiles.write(directory, "file.bin", 1_000_000);
        ServletContextHandler context = context();
        wrapResponses(context);
        try (TestServer server = new TestServer(connectors::http).start(context);
                RawClient client = server.client()) {
            Answer answer = client.get("/app/files/file.bin", "Range: bytes=0-99999,500000-999999")
                    .answer();
            assertEquals(206, answer.status());
            assertTrue(answer.body().length > 600_000, "parts");
            assertEquals(0, server.transfers().getRegions());
            // The client has the last byte before the server is done with the answer: stopping now would cut it off.
            assertEquals(404, client.get("/app/files/missing").answer().status());
        }
    }

    private static void wrapResponses(ServletContextHandler context) {
        Filter wrapping = (request, response, chain) ->
                chain.doFilter(request, new HttpServletResponseWrapper((HttpServletResponse) response));
        FilterHolder holder = new FilterHolder(wrapping);
        holder.setAsyncSupported(true);
        context.addFilter(holder, "/*", EnumSet.of(jakarta.servlet.DispatcherType.REQUEST));
    }

    @Test
    void copiesThroughAFilterThatWraps() throws Exception {
        byte[] bytes = TestFiles.write(directory, "file.bin", 1_000_000);
        ServletContextHandler context = context();
        wrapResponses(context);
        try (TestServer server = new TestServer(connectors::http).start(context);
                RawClient client = server.client()) {
            assertArrayEquals(bytes, client.get("/app/files/file.bin").answer().body());
            assertEquals(0, server.transfers().getRegions());
        }
    }

    @Test
    void acceleratesJettysDefaultServlet() throws Exception {
        byte[] bytes = TestFiles.write(directory, "file.bin", 1_000_000);
        ServletContextHandler context = new ServletContextHandler("/");
        context.setBaseResourceAsPath(directory);
        try (TestServer server = new TestServer(connectors::http)) {
            HttpContent.Factory jettys = new ResourceHttpContentFactory(
                    ResourceFactory.of(context).newResource(directory),
                    new MimeTypes.Mutable(),
                    new ByteBufferPool.Sized(server.server().getByteBufferPool()));
            context.setAttribute(HttpContent.Factory.class.getName(), new SendfileContentFactory(jettys));
            context.addServlet(DefaultServlet.class, "/");
            server.start(context);
            try (RawClient client = server.client()) {
                assertArrayEquals(bytes, client.get("/file.bin").answer().body());
                assertEquals(1, server.transfers().getRegions());
            }
        }
    }

    @Test
    void takesTheParametersOfJettysServlet() throws Exception {
        byte[] plain = TestFiles.write(directory, "file.js", 100_000);
        byte[] variant = TestFiles.write(directory, "file.js.gz", 50_000);
        ServletContextHandler context = new ServletContextHandler("/app");
        ServletHolder files = context.addServlet(SendfileServlet.class, "/files/*");
        files.setInitParameter("baseResource", directory.toString());
        files.setInitParameter("precompressed", "true");
        files.setInitParameter("etags", "true");
        files.setInitParameter("cacheControl", "max-age=60");
        files.setInitParameter("maxCachedFiles", "10");
        files.setInitParameter("maxCacheSize", "1000000");
        files.setInitParameter("maxCachedFileSize", "1000");
        files.setInitParameter("cacheValidationTime", "0");
        files.setInitParameter("debugHeader", "true");
        files.setInitParameter("algorithm", "EqualBlocking(1000)");
        files.setInitParameter("maxGatherBytes", "49999");
        try (TestServer server = new TestServer(connectors::http).start(context);
                RawClient client = server.client()) {
            Answer answer =
                    client.get("/app/files/file.js", "Accept-Encoding: gzip").answer();
            assertArrayEquals(variant, answer.body());
            assertEquals("gzip", answer.headers().get("Content-Encoding"));
            assertEquals("max-age=60", answer.headers().get("Cache-Control"));
            assertEquals("yes", answer.headers().get(SendfileSettings.DEBUG_HEADER));
            assertEquals(50, server.transfers().getTurns());
            byte[] changed = TestFiles.write(directory, "file.js.gz", 60_000);
            assertArrayEquals(
                    changed,
                    client.get("/app/files/file.js", "Accept-Encoding: gzip")
                            .answer()
                            .body());
            Answer whole = client.get("/app/files/file.js").answer();
            assertArrayEquals(plain, whole.body());
            assertEquals(
                    304,
                    client.get(
                                    "/app/files/file.js",
                                    "If-None-Match: " + whole.headers().get("ETag"))
                            .answer()
                            .status());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", ""})
    void takesJettysValuesForItsDefaults(String value) throws Exception {
        byte[] bytes = TestFiles.write(directory, "file.bin", 100_000);
        ServletContextHandler context = new ServletContextHandler("/app");
        ServletHolder files = context.addServlet(SendfileServlet.class, "/files/*");
        files.setInitParameter("baseResource", directory.toString());
        files.setInitParameter("maxCachedFiles", value);
        files.setInitParameter("maxCacheSize", value);
        files.setInitParameter("maxCachedFileSize", value);
        try (TestServer server = new TestServer(connectors::http).start(context);
                RawClient client = server.client()) {
            assertArrayEquals(bytes, client.get("/app/files/file.bin").answer().body());
        }
    }

    @Test
    void sendsTheWholeToWhoAsksForTooManyRangesOrForThoseOfAnotherVersion() throws Exception {
        byte[] bytes = TestFiles.write(directory, "file.bin", 100_000);
        String[] fields = {
            "Range: bytes=0-9\r\nIf-Range: Mon, 01 Jan 2001 00:00:00 GMT", "Range: bytes=0-0" + ",5-5".repeat(100)
        };
        try (TestServer server = new TestServer(connectors::http).start(context());
                RawClient client = server.client()) {
            for (String field : fields) {
                Answer answer = client.get("/app/files/file.bin", field).answer();
                assertEquals(200, answer.status());
                assertArrayEquals(bytes, answer.body());
            }
            Answer parts =
                    client.get("/app/files/file.bin", "Range: bytes=0-9,90000-").answer();
            assertEquals(206, parts.status());
            assertTrue(parts.text().contains(new String(bytes, 90_000, 10_000, StandardCharsets.ISO_8859_1)));
        }
    }

    @Test
    void judgesIfRangeByTheVariantThatIsSent() throws Exception {
        byte[] plain = TestFiles.write(directory, "file.js", 100_000);
        byte[] variant = TestFiles.write(directory, "file.js.gz", 50_000);
        Files.setLastModifiedTime(directory.resolve("file.js"), FileTime.from(Instant.parse("2020-01-01T00:00:00Z")));
        Files.setLastModifiedTime(
                directory.resolve("file.js.gz"), FileTime.from(Instant.parse("2021-01-01T00:00:00Z")));
        ServletContextHandler context = context();
        context.getServletHandler().getServlets()[0].setInitParameter("precompressed", "true");
        String get = "GET /app/files/file.js HTTP/1.1\r\nHost: localhost\r\nRange: bytes=100-\r\nIf-Range: ";
        String ofPlain = get + "Wed, 01 Jan 2020 00:00:00 GMT\r\n";
        String ofVariant = get + "Fri, 01 Jan 2021 00:00:00 GMT\r\n";
        String gzip = "Accept-Encoding: gzip\r\n";
        try (TestServer server = new TestServer(connectors::http).start(context);
                RawClient client = server.client()) {
            assertArrayEquals(
                    variant, client.send(ofPlain + gzip + "\r\n").answer().body());
            assertArrayEquals(
                    Arrays.copyOfRange(variant, 100, 50_000),
                    client.send(ofVariant + gzip + "\r\n").answer().body());
            assertArrayEquals(
                    Arrays.copyOfRange(plain, 100, 100_000),
                    client.send(ofPlain + "\r\n").answer().body());
            assertArrayEquals(plain, client.send(ofVariant + "\r\n").answer().body());
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void givesFilesBackWhenTheServerStops() throws Exception {
        TestFiles.write(directory, "file.bin", 100_000);
        try (TestServer server = new TestServer(connectors::http).start(context());
                RawClient client = server.client()) {
            client.get("/app/files/file.bin").answer();
            assertEquals(1, Leaks.descriptors(directory));
        }
        // A job that closes them may still run.
        Await.until("given back", () -> Leaks.descriptors(directory) == 0);
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void mapsNoFileThatTheKernelDoesNotSend() throws Exception {
        byte[] bytes = TestFiles.write(directory, "file.bin", 1_500_000);
        ServletContextHandler context = context();
        wrapResponses(context);
        try (TestServer server = new TestServer(connectors::http).start(context);
                RawClient client = server.client();
                Logged logged = new Logged("org.eclipse.jetty")) {
            assertArrayEquals(bytes, client.get("/app/files/file.bin").answer().body());
            assertEquals(200, client.get("/app/files/jetty-dir.css").answer().status());
            assertEquals(0, Leaks.mappings(directory));
            assertEquals(0, logged.count("WARN"));
        }
    }

    @Test
    void compressesNoRange() throws Exception {
        byte[] text = "All work and no play. ".repeat(5000).getBytes(StandardCharsets.UTF_8);
        Files.write(directory.resolve("text.txt"), text);
        try (TestServer server = new TestServer(connectors::http).start(new CompressionHandler(context()));
                RawClient client = server.client()) {
            for (String range : new String[] {"1000-5999", "1000-50999"}) {
                Answer answer = client.get("/app/files/text.txt", "Accept-Encoding: gzip", "Range: bytes=" + range)
                        .answer();
                assertEquals(206, answer.status());
                assertNull(answer.headers().get("Content-Encoding"), range);
                assertTrue(answer.text().contains(new String(text, 1000, 5000, StandardCharsets.UTF_8)), range);
            }
        }
    }

    @Test
    void redirectsARangeOfTheServletItself() throws Exception {
        TestFiles.write(directory, "file.bin", 100);
        try (TestServer server = new TestServer(connectors::http).start(context());
                RawClient client = server.client()) {
            Answer plain = client.get("/app/files").answer();
            for (String range : new String[] {"0-9", "0-9,20-29"}) {
                Answer answer =
                        client.get("/app/files", "Range: bytes=" + range).answer();
                assertEquals(plain.status(), answer.status());
                assertEquals(plain.headers().get("Location"), answer.headers().get("Location"));
            }
            assertEquals(302, plain.status());
        }
    }
}
