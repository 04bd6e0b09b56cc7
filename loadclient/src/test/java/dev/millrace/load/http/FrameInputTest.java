package dev.millrace.load.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Random;
import org.apache.hc.core5.http.ConnectionClosedException;
import org.apache.hc.core5.http2.H2ConnectionException;
import org.apache.hc.core5.http2.frame.DefaultFrameFactory;
import org.apache.hc.core5.http2.frame.RawFrame;
import org.apache.hc.core5.http2.impl.io.FrameOutputBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Frames as HttpCore writes them. */
class FrameInputTest {

    private static final int MOST = 16 * 1024;

    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private final FrameOutputBuffer writer = new FrameOutputBuffer(MOST);

    private void write(int stream, byte[] payload) throws IOException {
        writer.write(DefaultFrameFactory.INSTANCE.createData(stream, ByteBuffer.wrap(payload), true), written);
    }

    private FrameInput input() {
        return new FrameInput(new ByteArrayInputStream(written.toByteArray()), MOST);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 255, 65_535, 65_537, 0x00ff_0001, 0x0081_8181, 0x0100_0001, Integer.MAX_VALUE})
    void aStreamKeepsItsNumber(int stream) throws IOException {
        write(stream, new byte[] {7});
        RawFrame frame = input().read();
        assertEquals(stream, frame.getStreamId());
        assertEquals(7, frame.getPayload().get());
    }

    @Test
    void theReservedBitIsIgnored() throws IOException {
        byte[] ping = {0, 0, 0, 6, 1, (byte) 0x80, 0, 0, 5};
        RawFrame frame = new FrameInput(new ByteArrayInputStream(ping), MOST).read();
        assertEquals(5, frame.getStreamId());
        assertEquals(6, frame.getType());
        assertEquals(1, frame.getFlags());
        assertNull(frame.getPayload());
    }

    @Test
    void framesMayBeCutAnywhere() throws IOException {
        Random random = new Random(1);
        byte[][] payloads = new byte[200][];
        for (int i = 0; i < payloads.length; i++) {
            payloads[i] = new byte[1 + random.nextInt(i % 10 == 0 ? MOST : 30)];
            random.nextBytes(payloads[i]);
            write(2 * i + 1, payloads[i]);
        }
        InputStream all = new ByteArrayInputStream(written.toByteArray());
        FrameInput input = new FrameInput(
                new InputStream() {
                    @Override
                    public int read() {
                        throw new UnsupportedOperationException();
                    }

                    @Override
                    public int read(byte[] bytes, int offset, int length) throws IOException {
                        return all.read(bytes, offset, Math.min(length, 1 + random.nextInt(3000)));
                    }
                },
                MOST);
        for (int i = 0; i < payloads.length; i++) {
            RawFrame frame = input.read();
            assertEquals(2 * i + 1, frame.getStreamId());
            assertEquals(ByteBuffer.wrap(payloads[i]), frame.getPayload());
        }
        assertThrows(ConnectionClosedException.class, input::read);
    }

    @Test
    void aFrameThatIsTooLongIsRefused() {
        byte[] head = {0, 0x40, 1, 0, 0, 0, 0, 0, 1};
        FrameInput input = new FrameInput(new ByteArrayInputStream(head), MOST);
        assertThrows(H2ConnectionException.class, input::read);
    }
}
