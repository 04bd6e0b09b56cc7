package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.ConnectionEvents;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.internal.HttpConnection;
import org.eclipse.jetty.util.BufferUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Wrong and odd requests are answered by every connector as Jetty's own answers them, byte for byte. */
@Timeout(60)
class MalformedRequestsTest {
    private static final Pattern REPEAT = Pattern.compile("\\{(.+?)\\*(\\d+)}");
    private static final Pattern DATE = Pattern.compile("Date: [^\r\n]*\r\n");
    // Jetty answers a head that ends early on one thread, and shuts the output down on another: either may be first.
    private static final Pattern EARLY_EOF = Pattern.compile(
            "HTTP/1.1 400 Bad Request\r\n(?:(?!HTTP/1).)*" + "<title>Error 400 Early EOF</title>.*", Pattern.DOTALL);

    /** Answers with what it was asked, as far as that can be said in text. */
    private static Handler mirror() {
        return Handlers.text(request -> request.getMethod() + " " + request.getHttpURI() + "\n" + request.getHeaders()
                + BufferUtil.toString(Content.Source.asByteBuffer(request), StandardCharsets.ISO_8859_1));
    }

    private static Map<String, byte[]> corpus(String name) throws IOException {
        Map<String, byte[]> requests = new LinkedHashMap<>();
        try (InputStream in = MalformedRequestsTest.class.getResourceAsStream("/malformed/" + name)) {
            for (String line : new String(in.readAllBytes(), StandardCharsets.US_ASCII).split("\n")) {
                int tab = line.indexOf('\t');
                requests.put(line.substring(0, tab), unescape(repeat(line.substring(tab + 1))));
            }
        }
        return requests;
    }

    private static String repeat(String text) {
        return REPEAT.matcher(text)
                .replaceAll(match -> Matcher.quoteReplacement(match.group(1).repeat(Integer.parseInt(match.group(2)))));
    }

    private static byte[] unescape(String text) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c != '\\') {
                bytes.write(c);
                continue;
            }
            c = text.charAt(++i);
            switch (c) {
                case 'r' -> bytes.write('\r');
                case 'n' -> bytes.write('\n');
                case 't' -> bytes.write('\t');
                case '0' -> bytes.write(0);
                case '\\' -> bytes.write('\\');
                case 'x' -> {
                    bytes.write(Integer.parseInt(text.substring(i + 1, i + 3), 16));
                    i += 2;
                }
                default -> throw new IllegalArgumentException("no escape: \\" + c);
            }
        }
        return bytes.toByteArray();
    }

    /** All that the server says until it closes. */
    private static String answer(TestServer server, byte[] request) throws Exception {
        ByteArrayOutputStream answer = new ByteArrayOutputStream();
        int count = server.events().opened() + 1;
        try (RawClient client = server.client()) {
            try {
                client.send(request);
                // What Jetty answers depends on whether the end comes with the last bytes, or later, or during an
                // error.
                Await.until("read", () -> isEnding(server, count) || isWaiting(server, count, request.length));
                if (!isEnding(server, count)) {
                    client.shutdownOutput();
                }
            } catch (IOException refused) {
                // The server has seen enough, and closed: what it said can be read still.
            }
            for (int b = client.read(); b >= 0; b = client.read()) {
                answer.write(b);
            }
        }
        Await.until("closed", () -> server.events().closed() == count);
        String port = ":" + server.port();
        String text = DATE.matcher(answer.toString(StandardCharsets.ISO_8859_1))
                .replaceAll("")
                .replace(port, ":port");
        return EARLY_EOF.matcher(text).replaceAll("");
    }

    /** Whether the server has closed, or will: after an error it reads no more. */
    private static boolean isEnding(TestServer server, int count) {
        ConnectionEvents events = server.events();
        return events.closed() == count
                || (events.opened() == count
                        && events.last() instanceof HttpConnection connection
                        && (connection.getParser().isClose()
                                || connection.getParser().isTerminated()));
    }

    /** Whether the server has read everything and waits for more. */
    private static boolean isWaiting(TestServer server, int count, int bytes) {
        ConnectionEvents events = server.events();
        return events.opened() == count
                && events.last().getBytesIn() >= bytes
                && events.last().getEndPoint().isFillInterested();
    }

    private static TestServer server(Connectors connectors) throws Exception {
        return new TestServer(connectors::http).expectMalformedRequests().start(mirror());
    }

    @ParameterizedTest
    @ValueSource(strings = {"request-line.txt", "headers.txt", "framing.txt", "truncated.txt"})
    void answersAsJettyDoes(String name) throws Exception {
        Map<String, byte[]> requests = corpus(name);
        Map<String, String> expected = new LinkedHashMap<>();
        try (TestServer stock = server(Connectors.STOCK)) {
            for (Map.Entry<String, byte[]> request : requests.entrySet()) {
                expected.put(request.getKey(), answer(stock, request.getValue()));
            }
        }
        for (Connectors ours : Connectors.ours().toList()) {
            Map<String, String> answers = new LinkedHashMap<>();
            try (TestServer server = server(ours)) {
                for (Map.Entry<String, byte[]> request : requests.entrySet()) {
                    answers.put(request.getKey(), answer(server, request.getValue()));
                }
                server.awaitNoEndPoints();
            }
            expected.forEach((request, answer) -> assertEquals(answer, answers.get(request), ours + " " + request));
        }
    }

    // Jetty's own connector reads on while another thread answers, and closes before it has.
    @ParameterizedTest
    @MethodSource("dev.millrace.testing.Connectors#ours")
    void answersThoughThePeerSaysMore(Connectors connectors) throws Exception {
        CountDownLatch answering = new CountDownLatch(1);
        CountDownLatch said = new CountDownLatch(1);
        try (TestServer server = new TestServer(connectors::http).expectMalformedRequests()) {
            server.server().setErrorHandler((request, response, callback) -> {
                answering.countDown();
                said.await();
                Content.Sink.write(response, true, "refused", callback);
                return true;
            });
            server.start(mirror());
            try (RawClient client = server.client().send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\nbad\r\n\r\n")) {
                assertEquals(200, client.answer().status());
                answering.await();
                client.send("more");
                for (int i = 0; i < 10; i++) {
                    // A thread that waits for bytes of the first connection has had its turn when a later one is
                    // answered.
                    try (RawClient other = server.client().send("GET /2 HTTP/1.1\r\nHost: a\r\n\r\n")) {
                        assertEquals(200, other.answer().status());
                    }
                }
                said.countDown();
                RawClient.Answer answer = client.answer();
                assertEquals(400, answer.status());
                assertEquals("refused", answer.text());
            }
        }
    }

    @Test
    void corpusIsLargeAndMostlyRefused() throws Exception {
        int count = 0;
        int refused = 0;
        try (TestServer stock = server(Connectors.STOCK)) {
            for (String name : new String[] {"request-line.txt", "headers.txt", "framing.txt"}) {
                for (byte[] request : corpus(name).values()) {
                    count++;
                    refused += answer(stock, request).contains("HTTP/1.1 200 ") ? 0 : 1;
                }
            }
        }
        assertTrue(count >= 120, "requests: " + count);
        assertTrue(refused >= 80, "refused: " + refused);
    }
}
