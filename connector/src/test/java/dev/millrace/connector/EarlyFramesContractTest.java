package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.connector.WebSocketContractTest.EchoSocket;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.websocket.server.WebSocketUpgradeHandler;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Frames of WebSocket that come before the protocol has changed, with the request itself: none is lost, however the bytes are cut. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#all")
@Timeout(60)
class EarlyFramesContractTest {
    private static final String UPGRADE =
            "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                    + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    private static final byte[] CLOSE = {(byte) 0x88, (byte) 0x82, 0, 0, 0, 0, 0x03, (byte) 0xe8};
    private static final int MOST_BYTES = 20_000;

    @Parameter
    Connectors connectors;

    private final ByteArrayOutputStream content = new ByteArrayOutputStream();

    private byte[] conversation(int frames) {
        Random random = new Random(frames);
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(UPGRADE.getBytes(StandardCharsets.US_ASCII));
        for (int i = 0; i < frames; i++) {
            byte[] payload = new byte[random.nextInt(i % 10 == 9 ? MOST_BYTES : 200)];
            random.nextBytes(payload);
            content.writeBytes(payload);
            // Binary, of 16 bits' length, and masked by zeros, which leave the bytes as they are.
            all.writeBytes(ByteBuffer.allocate(8)
                    .put((byte) 0x82)
                    .put((byte) 0xfe)
                    .putShort((short) payload.length)
                    .array());
            all.writeBytes(payload);
        }
        all.writeBytes(CLOSE);
        return all.toByteArray();
    }

    private static byte[] echoed(RawClient client) throws IOException {
        assertEquals(101, Integer.parseInt(client.line().split(" ")[1]));
        while (!client.line().isEmpty()) {
            // Another field.
        }
        ByteArrayOutputStream echoed = new ByteArrayOutputStream();
        DataInputStream in = new DataInputStream(client.in());
        while (true) {
            int kind = in.readUnsignedByte();
            int length = in.readUnsignedByte();
            byte[] payload = new byte[length == 126 ? in.readUnsignedShort() : length];
            in.readFully(payload);
            if (kind == 0x88) {
                return echoed.toByteArray();
            }
            echoed.writeBytes(payload);
        }
    }

    @ParameterizedTest
    @CsvSource({"false,3,1", "false,60,7000", "false,200,1000000", "true,3,1", "true,60,7000", "true,200,1000000"})
    void areEchoed(boolean isSecure, int frames, int pieceBytes) throws Exception {
        Tls tls = new Tls();
        TestServer server = new TestServer(s -> isSecure ? connectors.https(s, tls) : connectors.http(s));
        byte[] sent = conversation(frames);
        try (server) {
            server.start(WebSocketUpgradeHandler.from(
                    server.server(),
                    container -> container.addMapping("/", (request, response, callback) -> new EchoSocket())));
            RawClient plain = server.client();
            try (RawClient client = isSecure ? tls.over(plain.socket()) : plain) {
                CompletableFuture<Void> sending = CompletableFuture.runAsync(() -> send(client, sent, pieceBytes));
                assertArrayEquals(content.toByteArray(), echoed(client));
                sending.get(30, TimeUnit.SECONDS);
                assertEquals(-1, client.read());
            }
            server.awaitNoEndPoints();
        }
    }

    private static void send(RawClient client, byte[] bytes, int pieceBytes) {
        try {
            for (int at = 0; at < bytes.length; at += pieceBytes) {
                byte[] piece = new byte[Math.min(pieceBytes, bytes.length - at)];
                System.arraycopy(bytes, at, piece, 0, piece.length);
                client.send(piece);
            }
        } catch (IOException x) {
            throw new java.io.UncheckedIOException(x);
        }
    }
}
