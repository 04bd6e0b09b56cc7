package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.RandomBytes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;
import javax.net.ssl.SSLSession;
import org.eclipse.jetty.io.ByteArrayEndPoint;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Records of one write leave in order, whatever the engine says behind some of them. */
class TlsRecordsTest {
    private static final int RECORD_BYTES = 100;

    private final Deque<Status> answers = new ArrayDeque<>();
    /** What the engine needs behind each record, before it makes another. */
    private final Deque<HandshakeStatus> needs = new ArrayDeque<>();

    private HandshakeStatus need = HandshakeStatus.NOT_HANDSHAKING;
    private int tasks;
    /** How many buffers the engine was given, for each record. */
    private final List<Integer> given = new ArrayList<>();

    private final TlsMemory memory = new TlsMemory(1);
    /** The bytes that each write was given. */
    private final List<Integer> writes = new ArrayList<>();

    private final ByteArrayEndPoint socket = new ByteArrayEndPoint(new byte[0], 100_000) {
        @Override
        public boolean flush(ByteBuffer... buffers) throws IOException {
            writes.add((int) BufferUtil.remaining(buffers));
            return super.flush(buffers);
        }
    };
    private final byte[] content = RandomBytes.of(5 * RECORD_BYTES);
    private TlsConnection connection;

    /** Its records are their content. Each is as {@link #answers} says, and then all are in order. */
    private final class PlainEngine extends SSLEngine {
        private final SSLSession session;

        private PlainEngine(SSLSession session) {
            this.session = session;
        }

        @Override
        public SSLEngineResult wrap(ByteBuffer[] sources, int offset, int length, ByteBuffer target) {
            assertNotEquals(HandshakeStatus.NEED_TASK, need);
            given.add(length);
            Status status = answers.isEmpty() ? Status.OK : answers.poll();
            int before = target.position();
            for (int i = offset; i < offset + length && status == Status.OK; i++) {
                int bytes = Math.min(sources[i].remaining(), before + RECORD_BYTES - target.position());
                target.put(sources[i].slice().limit(bytes));
                sources[i].position(sources[i].position() + bytes);
            }
            int bytes = target.position() - before;
            need = needs.isEmpty() ? HandshakeStatus.NOT_HANDSHAKING : needs.poll();
            return new SSLEngineResult(status, need, bytes, bytes);
        }

        @Override
        public SSLEngineResult unwrap(ByteBuffer source, ByteBuffer[] targets, int offset, int length) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Runnable getDelegatedTask() {
            return () -> {
                tasks++;
                need = HandshakeStatus.NOT_HANDSHAKING;
            };
        }

        @Override
        public void closeInbound() {}

        @Override
        public boolean isInboundDone() {
            return false;
        }

        @Override
        public void closeOutbound() {}

        @Override
        public boolean isOutboundDone() {
            return false;
        }

        @Override
        public String[] getSupportedCipherSuites() {
            return new String[0];
        }

        @Override
        public String[] getEnabledCipherSuites() {
            return new String[0];
        }

        @Override
        public void setEnabledCipherSuites(String[] suites) {}

        @Override
        public String[] getSupportedProtocols() {
            return new String[0];
        }

        @Override
        public String[] getEnabledProtocols() {
            return new String[0];
        }

        @Override
        public void setEnabledProtocols(String[] protocols) {}

        @Override
        public SSLSession getSession() {
            return session;
        }

        @Override
        public SSLSession getHandshakeSession() {
            return session;
        }

        @Override
        public void beginHandshake() {}

        @Override
        public HandshakeStatus getHandshakeStatus() {
            return need;
        }

        @Override
        public void setUseClientMode(boolean mode) {}

        @Override
        public boolean getUseClientMode() {
            return false;
        }

        @Override
        public void setNeedClientAuth(boolean need) {}

        @Override
        public boolean getNeedClientAuth() {
            return false;
        }

        @Override
        public void setWantClientAuth(boolean want) {}

        @Override
        public boolean getWantClientAuth() {
            return false;
        }

        @Override
        public void setEnableSessionCreation(boolean flag) {}

        @Override
        public boolean getEnableSessionCreation() {
            return true;
        }
    }

    @BeforeEach
    void connect() throws Exception {
        SSLEngine engine =
                new PlainEngine(SSLContext.getDefault().createSSLEngine().getSession());
        TlsConnectionFactory factory = new TlsConnectionFactory(new SslContextFactory.Server(), "http/1.1", memory);
        connection = TlsConnection.of(factory, memory, new ServerConnector(new Server()), socket, engine);
    }

    private byte[] flush() throws Exception {
        return flush(ByteBuffer.wrap(content, 0, 150), ByteBuffer.wrap(content, 150, content.length - 150));
    }

    private byte[] flush(ByteBuffer... parts) throws Exception {
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        for (int i = 0; i < 100 && !BufferUtil.isEmpty(parts); i++) {
            connection.getSslEndPoint().flush(parts);
            written.writeBytes(BufferUtil.toArray(socket.takeOutput()));
        }
        assertEquals(1, memory.getFree());
        assertEquals(0, memory.getTaken());
        return written.toByteArray();
    }

    @Test
    void leaveTogether() throws Exception {
        assertArrayEquals(content, flush());
        assertEquals(content.length, connection.getBytesOut());
    }

    /** The engine looks at each buffer that it is given, for each record. */
    @Test
    void areMadeOfTheBuffersThatOneMayTakeFrom() throws Exception {
        byte[] bytes = RandomBytes.of(60_000);
        ByteBuffer[] parts = new ByteBuffer[60];
        Arrays.setAll(parts, i -> ByteBuffer.wrap(bytes, i * 1000, 1000));
        parts[7] = ByteBuffer.wrap(bytes, 7000, 0);
        parts[8] = ByteBuffer.wrap(bytes, 7000, 2000);
        assertArrayEquals(bytes, flush(parts));
        assertEquals(600, given.size());
        assertTrue(given.stream().skip(1).allMatch(buffers -> buffers >= 1 && buffers <= 18), given::toString);
    }

    @Test
    void leaveAlthoughTheEngineHasNoRoomForAnother() throws Exception {
        for (int before = 1; before <= 4; before++) {
            List<Status> full = new ArrayList<>(Collections.nCopies(before, Status.OK));
            full.add(Status.BUFFER_OVERFLOW);
            answers.addAll(full);
            assertArrayEquals(content, flush(), "after " + before);
        }
        assertTrue(answers.isEmpty());
    }

    /** A new key that the peer asks for has the engine say so in the middle of content. */
    @ParameterizedTest
    @EnumSource(names = {"NEED_TASK", "NEED_WRAP"})
    void leaveAlthoughTheEngineNeedsSomethingElseFirst(HandshakeStatus between) throws Exception {
        for (int before = 1; before <= 4; before++) {
            needs.addAll(Collections.nCopies(before - 1, HandshakeStatus.NOT_HANDSHAKING));
            needs.add(between);
            assertArrayEquals(content, flush(), "after " + before);
        }
        assertTrue(needs.isEmpty());
        assertEquals(between == HandshakeStatus.NEED_TASK ? 4 : 0, tasks);
        assertEquals(4L * content.length, connection.getBytesOut());
    }

    /** What the socket does not take is copied, and held. */
    @Test
    void areFewerInAWriteForASlowPeer() throws Exception {
        byte[] bytes = RandomBytes.of(4_000_000);
        assertArrayEquals(bytes, flush(ByteBuffer.wrap(bytes)));
        assertTrue(writes.get(0) > 200_000, writes::toString);
        // Behind the rest of the first batch, whose end comes with its third write.
        assertTrue(writes.stream().skip(3).allMatch(size -> size < 70_000), writes::toString);
    }

    /** Those that were made before the end. */
    @Test
    void leaveBeforeTheEnd() throws Exception {
        answers.addAll(List.of(Status.OK, Status.OK, Status.CLOSED));
        ByteBuffer all = ByteBuffer.wrap(content);
        assertThrows(IOException.class, () -> connection.getSslEndPoint().flush(all));
        assertArrayEquals(Arrays.copyOf(content, 2 * RECORD_BYTES), BufferUtil.toArray(socket.takeOutput()));
        assertEquals(1, memory.getFree());
    }
}
