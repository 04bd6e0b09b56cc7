package dev.millrace.ee11;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Servlets that delegate files, each in its own way. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#ours")
class XSendfileServletTest {
    @Parameter
    Connectors connectors;

    @TempDir
    Path directory;

    private final HttpServlet delegating = Servlets.get((request, response) -> {
        response.setHeader(
                "X-Sendfile", directory.resolve(request.getParameter("file")).toString());
        response.setContentType("text/x-own");
        response.addHeader("Set-Cookie", "a=b");
        switch (request.getParameter("way")) {
            case "write" -> response.getWriter().print("a body that nobody gets");
            case "large" -> response.getOutputStream().write(new byte[100_000]);
            case "flush" -> response.flushBuffer();
            case "async" -> {
                AsyncContext async = request.startAsync();
                async.start(async::complete);
            }
            case "session" -> request.getSession(true);
            default -> {}
        }
    });

    /** Names a file, writes something, and fails then. */
    private final HttpServlet failing = Servlets.get((request, response) -> {
        response.setHeader("X-Sendfile", directory.resolve("file.bin").toString());
        response.getOutputStream().write(new byte[100]);
        response.flushBuffer();
        switch (request.getParameter("way")) {
            case "sendError" -> response.sendError(403);
            case "setStatus" -> response.setStatus(403);
            case "throw" -> throw new IOException("meant to fail");
            case "throwAfterMore" -> {
                response.getOutputStream().write(new byte[100_000]);
                throw new IOException("meant to fail");
            }
            case "timeout" -> request.startAsync().setTimeout(200);
            default -> throw new IllegalArgumentException();
        }
    });

    private XSendfileHandler handler(HttpServlet servlet) {
        ServletContextHandler context = new ServletContextHandler("/app", ServletContextHandler.SESSIONS);
        ServletHolder holder = new ServletHolder(servlet);
        holder.setAsyncSupported(true);
        context.addServlet(holder, "/download");
        XSendfileHandler handler = new XSendfileHandler(context);
        handler.addRoot(directory.toString());
        return handler;
    }

    @Test
    void sendsTheFile() throws Exception {
        byte[] bytes = TestFiles.write(directory, "file.bin", 200_000);
        XSendfileHandler handler = handler(delegating);
        try (TestServer server = new TestServer(connectors::http).start(handler);
                RawClient client = server.client()) {
            String[] ways = {"nothing", "write", "large", "flush", "async", "session"};
            for (int i = 0; i < ways.length; i++) {
                Answer answer =
                        client.get("/app/download?file=file.bin&way=" + ways[i]).answer();
                assertEquals(200, answer.status(), ways[i]);
                assertArrayEquals(bytes, answer.body(), ways[i]);
                assertTrue(answer.headers().get("Content-Type").startsWith("text/x-own"), ways[i]);
                assertNull(answer.headers().get("X-Sendfile"), ways[i]);
                assertEquals(i + 1, handler.getSendfileContentFactory().getTransfers(), ways[i]);
            }
            assertEquals(
                    404,
                    client.get("/app/download?file=../x&way=nothing").answer().status());
            assertEquals(404, client.get("/app/none").answer().status());
        }
    }

    @Test
    void sendsNothingOfTheFileWhenTheServletFailsInTheEnd() throws Exception {
        TestFiles.write(directory, "file.bin", 200_000);
        XSendfileHandler handler = handler(failing);
        List<TransferResult> results = new CopyOnWriteArrayList<>();
        handler.addTransferListener(results::add);
        Map<String, Integer> ways =
                Map.of("sendError", 403, "setStatus", 403, "throw", 500, "throwAfterMore", 500, "timeout", 500);
        try (TestServer server = new TestServer(connectors::http).start(handler);
                RawClient client = server.client()) {
            for (Map.Entry<String, Integer> way : ways.entrySet()) {
                client.get("/app/download?way=" + way.getKey());
                Answer answer = assertDoesNotThrow(() -> client.answer(), way.getKey());
                assertEquals(way.getValue(), answer.status(), way.getKey());
                assertTrue(answer.body().length < 10_000, way.getKey() + " " + answer.body().length);
                assertEquals(
                        !way.getKey().equals("setStatus"), answer.text().contains("" + answer.status()), way.getKey());
                assertNull(answer.headers().get("X-Sendfile"), way.getKey());
            }
            assertEquals(0, handler.getSendfileContentFactory().getTransfers());
        }
        assertEquals(List.of(), results);
    }
}
