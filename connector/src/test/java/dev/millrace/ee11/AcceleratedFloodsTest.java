package dev.millrace.ee11;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.connector.NioConnector;
import dev.millrace.files.ServerSendfile;
import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Described;
import dev.millrace.testing.Leaks;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.RawClient.Answer;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.eclipse.jetty.ee11.servlet.DefaultServlet;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.io.ArrayByteBufferPool;
import org.eclipse.jetty.server.handler.ContextHandler;
import org.eclipse.jetty.server.handler.ContextHandlerCollection;
import org.eclipse.jetty.server.handler.ResourceHandler;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Jetty's servlet and handler, accelerated by a {@link ServerSendfile}, keep to Jetty's rules of ranges, which have no bound: a flood
 * of them is answered as without it, and costs no more.
 */
@Timeout(60)
class AcceleratedFloodsTest {
    private static final int STALLED = 6;
    private static final int PARTS = 400;
    /** All parts are more than the buffers of two sockets hold. */
    private static final int PART_BYTES = 16 * 1024;

    private static final int STEP_BYTES = 20_000;

    @TempDir
    static Path directory;

    private static byte[] file;
    private static byte[] large;

    @BeforeAll
    static void write() throws Exception {
        file = TestFiles.write(directory, "file.bin", 200_000);
        large = TestFiles.write(directory, "large.bin", PARTS * STEP_BYTES);
    }

    private static TestServer server(boolean isAccelerated) throws Exception {
        ServletContextHandler servlets = new ServletContextHandler("/servlet");
        servlets.setBaseResourceAsPath(directory);
        servlets.addServlet(DefaultServlet.class, "/").setInitOrder(0);
        ResourceHandler resources = new ResourceHandler();
        resources.setBaseResourceAsString(directory.toString());
        TestServer server = new TestServer(Connectors.NIO::http);
        ServerSendfile sendfile = new ServerSendfile(server.server());
        if (isAccelerated) {
            server.server().addBean(sendfile);
        }
        server.start(new ContextHandlerCollection(servlets, new ContextHandler(resources, "/handler")));
        assertEquals(isAccelerated ? 2 : 0, sendfile.getFactories());
        return server;
    }

    private static String ranges(int count, int step, int bytes) {
        return IntStream.range(0, count)
                .mapToObj(i -> i * step + "-" + (i * step + bytes - 1))
                .collect(Collectors.joining(","));
    }

    private static List<String> floods() {
        return List.of(
                "0-" + ",0-".repeat(1000),
                "0-0" + ",2-2".repeat(1000),
                "5-1,".repeat(800),
                ",".repeat(5000),
                "0-18446744073709551615",
                "-18446744073709551615",
                "9223372036854775807-",
                "--1",
                "a-b",
                "0-0,-1",
                "0-199999,0-199999",
                ranges(700, 3, 1),
                ranges(500, 300, 200),
                ranges(12, 16_500, 16_400),
                "-1" + ",-2".repeat(1000));
    }

    private static String answer(TestServer server, String context, String flood) throws Exception {
        try (RawClient client = server.client()) {
            return Described.answer(client, context, "GET /file.bin Range: bytes=" + flood);
        }
    }

    @Test
    void areAnsweredAsJettyDoes() throws Exception {
        int multiple = 0;
        try (TestServer accelerated = server(true);
                TestServer stock = server(false)) {
            for (String context : new String[] {"/servlet", "/handler"}) {
                for (String flood : floods()) {
                    String expected = answer(stock, context, flood);
                    assertEquals(expected, answer(accelerated, context, flood), context + " " + flood);
                    multiple += expected.contains("multipart/byteranges") ? 1 : 0;
                }
                try (RawClient client = accelerated.client()) {
                    assertArrayEquals(
                            file, client.get(context + "/file.bin").answer().body());
                }
            }
        }
        assertTrue(multiple >= 8, "no floods: " + multiple);
    }

    private static long buffersInUse(TestServer server) {
        return ((ArrayByteBufferPool.Tracking) server.server().getByteBufferPool())
                .getLeaks().stream()
                        .mapToLong(ArrayByteBufferPool.Tracking.TrackedBuffer::getSize)
                        .sum();
    }

    private static long heapInUse() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    private static List<RawClient> stall(TestServer server, String context) throws Exception {
        List<RawClient> clients = new ArrayList<>();
        for (int i = 0; i < STALLED; i++) {
            RawClient client = new RawClient(server.port(), 8192);
            clients.add(client.send("GET " + context + "/large.bin HTTP/1.1\r\nHost: localhost\r\nRange: bytes="
                    + ranges(PARTS, STEP_BYTES, PART_BYTES) + "\r\n\r\n"));
        }
        NioConnector connector = (NioConnector) server.connector();
        Await.until("all wait", () -> connector.getSelectorStatistics().getConnectionsInWrite() == STALLED);
        return clients;
    }

    // A stop of Jetty's connection in the instant in which its write fails waits for ever (HttpConnection's
    // SendCallback.cancel).
    private static void close(TestServer server, List<RawClient> clients) throws IOException {
        for (RawClient client : clients) {
            client.close();
        }
        server.awaitNoEndPoints();
    }

    private static void checkParts(Answer answer) {
        assertEquals(206, answer.status());
        String text = answer.text();
        for (int begin : new int[] {0, STEP_BYTES, (PARTS - 1) * STEP_BYTES}) {
            String part = new String(large, begin, PART_BYTES, StandardCharsets.ISO_8859_1);
            assertTrue(
                    text.contains(
                            "bytes " + begin + "-" + (begin + PART_BYTES - 1) + "/" + large.length + "\r\n\r\n" + part),
                    "part at " + begin);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/servlet", "/handler"})
    @EnabledOnOs(OS.LINUX)
    void ofWhomTakesNothingCostABufferAndNoMoreDescriptors(String context) throws Exception {
        long stockBytes;
        try (TestServer stock = server(false)) {
            List<RawClient> clients = stall(stock, context);
            stockBytes = buffersInUse(stock);
            close(stock, clients);
        }
        try (TestServer accelerated = server(true)) {
            // Known from now on: of several that look for a file at once, each may open it.
            assertSent(accelerated, context);
            long heapBefore = heapInUse();
            List<RawClient> clients = stall(accelerated, context);
            long bytes = buffersInUse(accelerated);
            assertTrue(bytes <= STALLED * 32 * 1024, bytes + " bytes of buffers");
            assertTrue(bytes <= 2 * stockBytes, bytes + " bytes of buffers, and " + stockBytes + " of Jetty's own");
            long heapBytes = heapInUse() - heapBefore;
            assertTrue(heapBytes < STALLED * PARTS * PART_BYTES / 3, heapBytes + " bytes of heap");
            Await.until(
                    "one open file for all",
                    () -> Leaks.descriptors(directory) == 1,
                    () -> "" + Leaks.descriptors(directory));
            checkParts(clients.get(0).answer());
            close(accelerated, clients);
            assertEquals(404, status(accelerated, context + "/none"));
            assertSent(accelerated, context);
        }
    }

    private static void assertSent(TestServer server, String context) throws Exception {
        try (RawClient client = server.client()) {
            assertArrayEquals(large, client.get(context + "/large.bin").answer().body());
        }
    }

    private static int status(TestServer server, String path) throws Exception {
        try (RawClient client = server.client()) {
            return client.get(path).answer().status();
        }
    }
}
