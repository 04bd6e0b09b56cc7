package dev.millrace.uuid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Failures that are not, or not only, the fault of the request. */
class UuidServletFailureTest {
    private UuidServer server;

    @BeforeEach
    void start() throws Exception {
        server = new UuidServer(Map.of(), new FailingFilter());
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"text/xml", "application/json", "text/plain"})
    void anInternalFailureShowsNoDetails(String accept) throws Exception {
        HttpResponse<String> response = server.send(server.request("")
                .header("Accept", accept)
                .header("Fail", "yes")
                .POST(BodyPublishers.ofString("<request><generate-uuid/></request>")));
        assertEquals(500, response.statusCode());
        assertTrue(response.headers().firstValue("Content-Type").orElseThrow().startsWith(accept));
        assertTrue(response.body().contains("the service failed"), response.body());
        assertFalse(response.body().contains("secret"), response.body());
        assertEquals(200, server.get("").statusCode());
    }

    /** The container answers requests that break the rules of HTTP/1.1, with 400 and not with 500. */
    @Test
    void malformedChunksAreABadRequest() throws Exception {
        String answer = RawClient.exchange(
                server.port(),
                "POST /generate-uuid HTTP/1.1\r\nHost: localhost\r\n"
                        + "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\nxyz\r\n<request>\r\n");
        assertTrue(answer.startsWith("HTTP/1.1 400 "), answer);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"Content-Length: 100\r\n\r\n<request>", "Transfer-Encoding: chunked\r\n\r\n9\r\n<request>\r\n"})
    void aTruncatedBodyDoesNotAffectOtherRequests(String rest) throws Exception {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream()
                    .write(("POST /generate-uuid HTTP/1.1\r\nHost: localhost\r\n" + rest)
                            .getBytes(StandardCharsets.US_ASCII));
            socket.shutdownOutput();
            String answer = readAll(socket.getInputStream());
            assertTrue(answer.isEmpty() || answer.startsWith("HTTP/1.1 400 "), answer);
        }
        assertEquals(200, server.get("").statusCode());
    }

    private static String readAll(InputStream in) throws IOException {
        return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
    }

    private static final class FailingFilter extends HttpFilter {
        private static final long serialVersionUID = 1;

        @Override
        protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
                throws IOException, ServletException {
            chain.doFilter(
                    request.getHeader("Fail") == null
                            ? request
                            : new HttpServletRequestWrapper(request) {
                                @Override
                                public ServletInputStream getInputStream() {
                                    throw new IllegalStateException("secret");
                                }
                            },
                    response);
        }
    }
}
