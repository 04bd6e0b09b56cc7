package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.connector.MillraceConnector;
import dev.millrace.ee11.SendfileServlet;
import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import dev.millrace.xsendfile.XSendfileHandler;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.ee11.servlet.ResourceServlet;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.server.CustomRequestLog;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.handler.ResourceHandler;
import org.eclipse.jetty.server.handler.StatisticsHandler;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What goes by the kernel counts where operators look, as what Jetty copies does on its own connector: to the byte. */
@Timeout(60)
class TransferredBytesStatisticsTest {
    /** A path, and the fields of a request for it. */
    private static final List<String[]> REQUESTS = List.of(
            new String[] {"/large.bin", ""},
            new String[] {"/middle.bin", ""},
            new String[] {"/small.bin", ""},
            new String[] {"/large.bin", "Range: bytes=100000-\r\n"},
            new String[] {"/large.bin", "Range: bytes=0-299999,500000-500009,600000-\r\n"});

    @TempDir
    Path directory;

    private final BlockingQueue<String> log = new LinkedBlockingQueue<>();

    private static byte[] ask(TestServer server, String[] request) throws Exception {
        try (RawClient client = server.client()) {
            client.send("GET " + request[0] + " HTTP/1.1\r\nHost: localhost\r\n" + request[1]
                    + "Connection: close\r\n\r\n");
            return client.in().readAllBytes();
        }
    }

    @BeforeEach
    void write() throws Exception {
        TestFiles.write(directory, "large.bin", 1_000_000);
        TestFiles.write(directory, "middle.bin", 40_000);
        TestFiles.write(directory, "small.bin", 1000);
    }

    @ParameterizedTest
    @MethodSource("dev.millrace.testing.Connectors#all")
    void theyAreWhatTheClientGot(Connectors connectors) throws Exception {
        ResourceHandler files = connectors == Connectors.STOCK ? new ResourceHandler() : new SendfileHandler();
        files.setBaseResourceAsString(directory.toString());
        check(connectors, files, REQUESTS);
    }

    @ParameterizedTest
    @MethodSource("dev.millrace.testing.Connectors#all")
    void theyAreWhatTheClientGotOfFilesThatAnApplicationNames(Connectors connectors) throws Exception {
        XSendfileHandler files = new XSendfileHandler(Handlers.naming(() -> directory, "what nobody gets"));
        files.addRoot(directory.toString());
        check(connectors, files, REQUESTS);
    }

    @ParameterizedTest
    @MethodSource("dev.millrace.testing.Connectors#all")
    void theyAreWhatTheClientGotOfAServlet(Connectors connectors) throws Exception {
        ServletContextHandler context = new ServletContextHandler("/");
        context.setBaseResourceAsPath(directory);
        context.addServlet(connectors == Connectors.STOCK ? ResourceServlet.class : SendfileServlet.class, "/");
        // Without several ranges: a servlet's answer to them is chunked.
        check(connectors, context, REQUESTS.subList(0, 4));
    }

    private void check(Connectors connectors, Handler files, List<String[]> requests) throws Exception {
        StatisticsHandler statistics = new StatisticsHandler(files);
        TestServer server = new TestServer(connectors::http);
        server.server().setRequestLog(new CustomRequestLog(log::add, "%s %O"));
        try (server) {
            server.start(statistics);
            long answers = 0;
            long bodies = 0;
            for (String[] request : requests) {
                byte[] answer = ask(server, request);
                int body = answer.length - 4 - new String(answer, StandardCharsets.ISO_8859_1).indexOf("\r\n\r\n");
                answers += answer.length;
                bodies += body;
                assertEquals(
                        (request[1].isEmpty() ? "200 " : "206 ") + body,
                        log.poll(30, TimeUnit.SECONDS),
                        request[0] + request[1]);
            }
            awaitCounts(server, statistics, bodies, answers);
            if (server.connector() instanceof MillraceConnector connector) {
                // The whole of the large one, that of the middle one with its header, a range, and two parts.
                assertEquals(
                        requests == REQUESTS ? 5 : 3,
                        connector.getTransferStatistics().getRegions());
            }
        }
    }

    private static void awaitCounts(TestServer server, StatisticsHandler statistics, long bodies, long answers) {
        Await.until(
                "statistics of " + bodies,
                () -> statistics.getBytesWritten() == bodies,
                () -> "" + statistics.getBytesWritten());
        Await.until(
                "connections of " + answers,
                () -> server.connections().getSentBytes() == answers,
                () -> "" + server.connections().getSentBytes());
    }
}
