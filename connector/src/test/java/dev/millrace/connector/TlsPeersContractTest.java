package dev.millrace.connector;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.EndPoints;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Renegotiating;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.TlsPeer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.AbstractEndPoint;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Peers of TLS that do what few do: they get right bytes or an end, and nothing of them stays behind. Jetty's own TLS is the control. */
class TlsPeersContractTest extends TlsContract {
    /** More than the sockets of both sides take. */
    private static final int FILE_BYTES = 3_000_000;

    private static final String GET = "GET /file.bin HTTP/1.1\r\nHost: localhost\r\n";

    private TestServer server;

    TlsPeersContractTest() {
        super(FILE_BYTES);
    }

    private TestServer start(Handler handler) throws Exception {
        return start(tls.server(), handler);
    }

    private TestServer start(SslContextFactory.Server context, Handler handler) throws Exception {
        server = server(ssl(context, HTTP));
        return server.start(handler);
    }

    private TlsPeer peer(String protocol) throws Exception {
        return new TlsPeer(tls, server.port(), protocol);
    }

    /** @param peers that are closed first: in TLS 1.2 the server waits for their last word */
    private void assertNothingIsHeld(TlsPeer... peers) throws IOException {
        for (TlsPeer peer : peers) {
            peer.close();
        }
        server.awaitNoEndPoints();
        assertNothingIsTaken();
    }

    private void awaitStalled() {
        // Not before the answer has begun: a thread that the machine holds up stands still, too.
        Await.until(
                "stalled",
                () -> server.connector().getConnectedEndPoints().stream()
                        .allMatch(endPoint -> EndPoints.isWritePending(endPoint)
                                && ((AbstractEndPoint) endPoint).getIdleFor() > 200));
    }

    /** The content of an answer that has a length, and ends with its connection. */
    private static byte[] content(byte[] answer) {
        String text = new String(answer, ISO_8859_1);
        assertTrue(text.startsWith("HTTP/1.1 200 OK\r\n"), () -> text.substring(0, Math.min(300, text.length())));
        return Arrays.copyOfRange(answer, text.indexOf("\r\n\r\n") + 4, answer.length);
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void sendByteAfterByte(String protocol) throws Exception {
        try (TestServer started = start(Handlers.path());
                TlsPeer peer = peer(protocol).inPieces(1)) {
            peer.handshake().send("GET /a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
            assertEquals("/a", new String(content(peer.readAll()), ISO_8859_1));
            assertNothingIsHeld(peer);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void askWithTheLastWordOfTheHandshake(String protocol) throws Exception {
        try (TestServer started = start(Handlers.path());
                TlsPeer peer = peer(protocol)) {
            peer.handshake(
                    "GET /a HTTP/1.1\r\nHost: localhost\r\n\r\nGET /b HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
            String answers = new String(peer.readAll(), ISO_8859_1);
            assertTrue(answers.contains("\r\n\r\n/aHTTP/1.1 200"), answers);
            assertTrue(answers.endsWith("\r\n\r\n/b"), answers);
            assertTrue(peer.hasEndedByAlert());
            assertNothingIsHeld(peer);
        }
    }

    @Test
    void askInRecordsOfOneByteAmongEmptyOnes() throws Exception {
        try (TestServer started = start(Handlers.path());
                TlsPeer peer = peer("TLSv1.3").handshake()) {
            ByteArrayOutputStream records = new ByteArrayOutputStream();
            String request = "GET /a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
            for (int i = 0; i < request.length(); i++) {
                for (int empty = 0; empty < 20; empty++) {
                    records.writeBytes(peer.emptyRecord());
                }
                records.writeBytes(peer.records(request.substring(i, i + 1)));
            }
            peer.sendRecords(records.toByteArray());
            assertEquals("/a", new String(content(peer.readAll()), ISO_8859_1));
            assertNothingIsHeld(peer);
        }
    }

    /** RFC 8446 section 6.1: an alert ends one direction only. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void endTheirOutputWithTheRequest(boolean endsSocketToo) throws Exception {
        try (TestServer started = start(Handlers.files(directory));
                TlsPeer peer = peer("TLSv1.3").handshake()) {
            peer.sendRecords(peer.records(GET + "\r\n"), peer.closeAlert());
            if (endsSocketToo) {
                peer.socket().shutdownOutput();
            }
            assertArrayEquals(bytes, content(peer.readAll()));
            assertNothingIsHeld(peer);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void endTheirOutputWhileTheyAreAnswered(String protocol) throws Exception {
        try (TestServer started = start(Handlers.files(directory));
                TlsPeer peer = peer(protocol).handshake()) {
            peer.send(GET + "\r\n");
            awaitStalled();
            peer.sendRecords(peer.closeAlert());
            byte[] block = new byte[1000];
            while (peer.read(block) >= 0) {
                // In 1.2 the server may end at once.
            }
            assertNothingIsHeld(peer);
        }
    }

    /** Reads all content, and tells how that ended. */
    private static final class Reader extends Handler.Abstract {
        private final BlockingQueue<Object> ends = new LinkedBlockingQueue<>();

        @Override
        public boolean handle(
                org.eclipse.jetty.server.Request request,
                org.eclipse.jetty.server.Response response,
                org.eclipse.jetty.util.Callback callback) {
            try (InputStream in = Content.Source.asInputStream(request)) {
                ends.add("whole: " + in.readAllBytes().length);
                callback.succeeded();
            } catch (IOException x) {
                ends.add(x);
                callback.failed(x);
            }
            return true;
        }
    }

    /** A truncation: without the alert nobody may take the end for the end of the content (RFC 8446 section 6.1). */
    @ParameterizedTest
    @ValueSource(strings = {"Content-Length: 10\r\n\r\nabc", "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"})
    void areCutOffInTheirContent(String content) throws Exception {
        Reader reader = new Reader();
        try (TestServer started = start(reader)) {
            for (boolean hasAlert : new boolean[] {false, true}) {
                try (TlsPeer peer = peer("TLSv1.3").handshake()) {
                    peer.send("POST / HTTP/1.1\r\nHost: localhost\r\n" + content);
                    if (hasAlert) {
                        peer.sendRecords(peer.closeAlert());
                    }
                    peer.socket().shutdownOutput();
                    assertInstanceOf(IOException.class, reader.ends.poll(30, TimeUnit.SECONDS));
                }
            }
            assertNothingIsHeld();
        }
    }

    @Test
    void changeKeysWhileTheyAreAnswered() throws Exception {
        try (TestServer started = start(Handlers.files(directory));
                TlsPeer peer = peer("TLSv1.3").handshake()) {
            peer.sendRecords(peer.newKeys(), peer.records(GET + "Connection: close\r\n\r\n"), peer.newKeys());
            awaitStalled();
            // The answer to this waits for the file's bytes, which the peer has yet to read.
            for (int i = 0; i < 50; i++) {
                peer.sendRecords(peer.newKeys());
            }
            ByteArrayOutputStream answer = new ByteArrayOutputStream();
            byte[] block = new byte[10_000];
            for (int read = peer.read(block); read >= 0; read = peer.read(block)) {
                answer.write(block, 0, read);
                if (answer.size() < FILE_BYTES / 2) {
                    peer.sendRecords(peer.newKeys());
                }
            }
            assertArrayEquals(bytes, content(answer.toByteArray()));
            assertNothingIsHeld(peer);
        }
    }

    @Test
    void changeKeysWithoutEnd() throws Exception {
        try (TestServer started = start(Handlers.path());
                TlsPeer peer = peer("TLSv1.3").handshake()) {
            ByteArrayOutputStream flood = new ByteArrayOutputStream();
            for (int i = 0; i < 2000; i++) {
                flood.writeBytes(peer.newKeys());
            }
            peer.sendRecords(flood.toByteArray());
            peer.send("GET /a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
            assertEquals("/a", new String(content(peer.readAll()), ISO_8859_1));
            assertNothingIsHeld(peer);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void beginAnotherHandshakeWhileTheyAreAnswered(boolean isAllowed) throws Exception {
        SslContextFactory.Server context = tls.server();
        context.setRenegotiationAllowed(isAllowed);
        try (TestServer started = start(context, Handlers.files(directory));
                TlsPeer peer = peer("TLSv1.2").handshake()) {
            peer.send(GET + "Connection: close\r\n\r\n");
            awaitStalled();
            peer.sendRecords(peer.newKeys());
            ByteArrayOutputStream answer = new ByteArrayOutputStream();
            try {
                byte[] block = new byte[10_000];
                for (int read = peer.read(block); read >= 0; read = peer.read(block)) {
                    answer.write(block, 0, read);
                }
            } catch (IOException refused) {
                // Or cut off.
                assertNotNull(refused.getMessage());
            }
            byte[] content = content(answer.toByteArray());
            assertArrayEquals(Arrays.copyOf(bytes, content.length), content);
            if (isAllowed) {
                assertEquals(FILE_BYTES, content.length);
            }
            assertNothingIsHeld(peer);
        }
    }

    /** They go on behind it where the server allows it, and lose their connection where it does not. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void beginAnotherHandshakeBetweenRequests(boolean isAllowed) throws Exception {
        SslContextFactory.Server context = tls.server();
        context.setRenegotiationAllowed(isAllowed);
        try (TestServer started = start(context, Handlers.path());
                TlsPeer peer = peer("TLSv1.2").handshake()) {
            peer.send("GET /a HTTP/1.1\r\nHost: localhost\r\n\r\n");
            StringBuilder answer = new StringBuilder();
            byte[] block = new byte[1000];
            while (!answer.toString().endsWith("\r\n\r\n/a")) {
                int read = peer.read(block);
                assertTrue(read > 0, "ended");
                answer.append(new String(block, 0, read, ISO_8859_1));
            }
            if (isAllowed) {
                peer.handshake().send("GET /b HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
                assertEquals("/b", new String(content(peer.readAll()), ISO_8859_1));
            } else {
                IOException refused = assertThrows(IOException.class, peer::handshake);
                assertFalse(refused instanceof SocketTimeoutException, "no answer");
            }
            assertNothingIsHeld(peer);
        }
    }

    /** An answer waits for the handshake, which comes behind the next request. */
    @Test
    void askOnInsteadOfAnotherHandshake() throws Exception {
        assumeTrue(connectors != Connectors.STOCK, "Jetty keeps such a connection, and a processor busy with it");
        SslContextFactory.Server context = tls.server();
        context.setRenegotiationAllowed(true);
        try (TestServer started = start(context, new Renegotiating());
                TlsPeer peer = peer("TLSv1.2").handshake()) {
            String request = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
            peer.sendRecords(peer.records(request), peer.records(request));
            server.awaitNoEndPoints();
            assertNothingIsHeld(peer);
        }
    }

    @Test
    void resetWhileTheyAreAnswered() throws Exception {
        try (TestServer started = start(Handlers.files(directory))) {
            for (int i = 0; i < 2 * BATCHES + 1; i++) {
                TlsPeer peer = peer("TLSv1.3").handshake();
                peer.send(GET + "\r\n");
                assertTrue(peer.read(new byte[100]) > 0);
                peer.reset();
            }
            assertNothingIsHeld();
        }
    }

    @Test
    void sendWhatIsNoRecord() throws Exception {
        try (TestServer started = start(Handlers.files(directory))) {
            for (int i = 0; i < 2 * BATCHES + 1; i++) {
                try (TlsPeer peer = peer("TLSv1.3").handshake()) {
                    peer.send(GET + "\r\n");
                    if (i % 2 == 0) {
                        awaitStalled();
                    }
                    byte[] broken = peer.records("GET /b HTTP/1.1\r\nHost: localhost\r\n\r\n");
                    broken[broken.length - 1] ^= 1;
                    peer.sendRecords(broken);
                    int length = 0;
                    try {
                        length = peer.readAll().length;
                    } catch (IOException refused) {
                        assertNotNull(refused.getMessage());
                    }
                    assertTrue(length < 2 * FILE_BYTES, "read " + length);
                }
            }
            assertNothingIsHeld();
        }
    }

    @Test
    void getOneVersionOfAFileThatIsReplaced() throws Exception {
        try (TestServer started = start(Handlers.files(directory));
                TlsPeer peer = peer("TLSv1.3").handshake()) {
            peer.send(GET + "Connection: close\r\n\r\n");
            awaitStalled();
            TestFiles.write(directory, "other.bin", FILE_BYTES / 2);
            Files.move(directory.resolve("other.bin"), directory.resolve("file.bin"), StandardCopyOption.ATOMIC_MOVE);
            assertArrayEquals(bytes, content(peer.readAll()));
            assertNothingIsHeld(peer);
        }
    }

    /** Of memory that is not a file's, in writes that end anywhere in a record. */
    @Test
    void changeKeysWhileTheyGetManyPieces() throws Exception {
        Handler pieces = Handlers.of((request, response, callback) -> {
            response.getHeaders().put("Content-Length", FILE_BYTES);
            response.getHeaders().put("Connection", "close");
            for (int at = 0; at < FILE_BYTES; at += 77_777) {
                int length = Math.min(77_777, FILE_BYTES - at);
                Content.Sink.write(response, at + length == FILE_BYTES, ByteBuffer.wrap(bytes, at, length));
            }
            callback.succeeded();
        });
        try (TestServer started = start(pieces);
                TlsPeer peer = peer("TLSv1.3").handshake()) {
            peer.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
            ByteArrayOutputStream answer = new ByteArrayOutputStream();
            byte[] block = new byte[10_000];
            for (int read = peer.read(block); read >= 0; read = peer.read(block)) {
                answer.write(block, 0, read);
                peer.sendRecords(answer.size() < FILE_BYTES / 2 ? peer.newKeys() : new byte[0]);
            }
            assertArrayEquals(bytes, content(answer.toByteArray()));
            assertNothingIsHeld(peer);
        }
    }
}
