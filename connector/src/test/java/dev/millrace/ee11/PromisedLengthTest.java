package dev.millrace.ee11;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.RawClient.Answer;
import dev.millrace.testing.Servlets;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import dev.millrace.xsendfile.TransferResult;
import dev.millrace.xsendfile.XSendfileHandler;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServlet;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A servlet that names a file and sets a length besides. Jetty's channel holds it to that, before anything of ours is
 * asked: a length that the servlet writes does no harm. A length that it does not write is an error that says so and
 * ends nothing but itself.
 */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#ours")
@Timeout(60)
class PromisedLengthTest {
    private static final int BYTES = 200_000;
    private static final String[] WAYS = {"before", "after", "header", "async"};

    @Parameter
    Connectors connectors;

    @TempDir
    Path directory;

    private final List<TransferResult> results = new CopyOnWriteArrayList<>();
    private XSendfileHandler handler;
    private byte[] bytes;

    private final HttpServlet promising = Servlets.get((request, response) -> {
        int length = Integer.parseInt(request.getParameter("length"));
        String way = request.getParameter("way");
        if (way.equals("before")) {
            response.setContentLengthLong(length);
        }
        response.setHeader("X-Sendfile", directory.resolve("file.bin").toString());
        switch (way) {
            case "header" -> response.setHeader("Content-Length", "" + length);
            case "after", "async" -> response.setContentLength(length);
            default -> {}
        }
        response.getOutputStream().write(new byte[Integer.parseInt(request.getParameter("written"))]);
        if (way.equals("async")) {
            AsyncContext async = request.startAsync();
            async.start(async::complete);
        }
    });

    @BeforeEach
    void application() throws IOException {
        bytes = TestFiles.write(directory, "file.bin", BYTES);
        ServletHolder holder = new ServletHolder(promising);
        holder.setAsyncSupported(true);
        ServletContextHandler context = new ServletContextHandler("/");
        context.addServlet(holder, "/*");
        handler = new XSendfileHandler(context);
        handler.addRoot(directory.toString());
        handler.addTransferListener(results::add);
    }

    private Answer answer(RawClient client, String method, String way, int length, int written) throws IOException {
        Answer answer = client.send(method + " /?way=" + way + "&length=" + length + "&written=" + written
                        + " HTTP/1.1\r\nHost: localhost\r\n\r\n")
                .answer(method);
        assertNull(answer.headers().get("X-Sendfile"));
        return answer;
    }

    private void assertFile(RawClient client, String way, int length, int written) throws IOException {
        Answer answer = answer(client, "GET", way, length, written);
        assertEquals(200, answer.status(), () -> way + " " + answer.text());
        assertArrayEquals(bytes, answer.body(), way);
    }

    @Test
    void sendsTheFileWhenTheServletWritesWhatItPromised() throws Exception {
        try (TestServer server = new TestServer(connectors::http).start(handler);
                RawClient client = server.client()) {
            for (String way : WAYS) {
                assertFile(client, way, 0, 0);
                assertFile(client, way, 7, 7);
                assertFile(client, way, 100_000, 100_000);
            }
            assertEquals(3L * WAYS.length, handler.getSendfileContentFactory().getTransfers());
            Await.until("told of each", () -> results.size() == 3 * WAYS.length);
        }
    }

    @Test
    void saysWhatIsMissingAndServesOn() throws Exception {
        try (TestServer server = new TestServer(connectors::http).start(handler);
                RawClient client = server.client()) {
            for (String way : WAYS) {
                for (int[] promise : new int[][] {{7, 0}, {BYTES, 0}, {BYTES, 5}, {2 * BYTES, 100_000}}) {
                    Answer answer = answer(client, "GET", way, promise[0], promise[1]);
                    assertEquals(500, answer.status(), way);
                    assertTrue(
                            answer.text()
                                    .contains("Insufficient content written " + promise[1] + " &lt; " + promise[0]),
                            () -> way + " " + answer.text());
                }
                assertFile(client, way, 0, 0);
            }
            assertEquals(WAYS.length, handler.getSendfileContentFactory().getTransfers());
            Await.until("told of the files", () -> results.size() == WAYS.length);
        }
        assertEquals(WAYS.length, results.size(), "and of nothing else");
    }

    @Test
    void promisesTheFileToWhoAsksForItsHeader() throws Exception {
        try (TestServer server = new TestServer(connectors::http).start(handler);
                RawClient client = server.client()) {
            for (String way : WAYS) {
                Answer answer = answer(client, "HEAD", way, 7, 0);
                assertEquals(200, answer.status(), way);
                assertEquals("" + BYTES, answer.headers().get("Content-Length"), way);
            }
        }
    }
}
