package dev.millrace.load;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** Sends frames of HTTP/2 in clear text that no server library would send. A test says which. */
public final class Http2FrameServer implements AutoCloseable {

    /** Types and flags of frames (RFC 9113 section 6). */
    public static final int DATA = 0;

    public static final int HEADERS = 1;
    public static final int PRIORITY = 2;
    public static final int RST_STREAM = 3;
    public static final int SETTINGS = 4;
    public static final int PING = 6;
    public static final int GOAWAY = 7;
    public static final int WINDOW_UPDATE = 8;
    public static final int CONTINUATION = 9;
    public static final int END_STREAM = 1;
    public static final int END_HEADERS = 4;
    public static final int PADDED = 8;

    private static final int PREFACE_BYTES = 24;

    private final ServerSocket listener = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
    private final AtomicInteger connections = new AtomicInteger();
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Behaviour behaviour;

    /** Serves connections. */
    public interface Behaviour {

        /**
         * Serves one connection, which is closed afterwards.
         *
         * @param number counted from 0, without the client's probe before the run
         */
        void serve(Peer peer, int number) throws IOException;
    }

    /** A frame that the client has sent. */
    public record Frame(int type, int flags, int stream, byte[] payload) {}

    /** The client's side of a connection. */
    public static final class Peer {

        private final DataInputStream in;
        private final OutputStream out;

        private final CountDownLatch closed;

        private Peer(Socket socket, CountDownLatch closed) throws IOException {
            this.closed = closed;
            this.in = new DataInputStream(socket.getInputStream());
            this.out = socket.getOutputStream();
        }

        /** Reads the client's preface, and sends settings: pairs of identifier and value. */
        public void begin(int... settings) throws IOException {
            preface();
            settings(settings);
        }

        /** Reads the client's preface. */
        public void preface() throws IOException {
            in.readNBytes(PREFACE_BYTES);
        }

        /** Sends bytes that are no frame. */
        public void sendBytes(byte[] bytes) throws IOException {
            out.write(bytes);
        }

        /** Sends settings: pairs of identifier and value. */
        public void settings(int... settings) throws IOException {
            ByteArrayOutputStream payload = new ByteArrayOutputStream();
            for (int i = 0; i < settings.length; i += 2) {
                payload.write(settings[i] >>> Byte.SIZE);
                payload.write(settings[i]);
                payload.writeBytes(number(settings[i + 1]));
            }
            send(SETTINGS, 0, 0, payload.toByteArray());
        }

        /** Sends a frame. */
        public void send(int type, int flags, int stream, byte[]... payload) throws IOException {
            out.write(frame(type, flags, stream, payload));
        }

        /** Sends a right answer: {@code hello}. */
        public void hello(int stream) throws IOException {
            send(HEADERS, END_HEADERS, stream, status(200));
            send(DATA, END_STREAM, stream, text("hello"));
        }

        /** Reads a frame. */
        public Frame read() throws IOException {
            byte[] head = in.readNBytes(9);
            if (head.length < 9) {
                throw new IOException("the client has closed");
            }
            int length = (head[0] & 0xff) << 16 | (head[1] & 0xff) << 8 | (head[2] & 0xff);
            int stream = (head[5] & 0x7f) << 24 | (head[6] & 0xff) << 16 | (head[7] & 0xff) << 8 | (head[8] & 0xff);
            return new Frame(head[3], head[4], stream, in.readNBytes(length));
        }

        /** Reads up to the next frame of a type. */
        public Frame await(int type) throws IOException {
            Frame frame = read();
            while (frame.type() != type) {
                frame = read();
            }
            return frame;
        }

        /** Reads and sends nothing until the server is closed. */
        public void awaitTestEnd() throws IOException {
            try {
                closed.await();
            } catch (InterruptedException e) {
                throw new InterruptedIOException();
            }
        }

        /** Reads up to the next request. Returns its stream. */
        public int request() throws IOException {
            return await(HEADERS).stream();
        }
    }

    /** Listens on a free port of the loopback interface. */
    public Http2FrameServer(Behaviour behaviour) throws IOException {
        this.behaviour = behaviour;
        start(this::accept);
    }

    /** Answers each request in the same way. */
    public static Http2FrameServer answering(Answer answer) throws IOException {
        return new Http2FrameServer((peer, number) -> {
            peer.begin();
            while (true) {
                answer.answer(peer, peer.request());
            }
        });
    }

    /** Answers one request. */
    public interface Answer {

        /** Sends the frames. */
        void answer(Peer peer, int stream) throws IOException;
    }

    /** The URL. */
    public String url() {
        return "http://127.0.0.1:" + listener.getLocalPort() + "/";
    }

    /** Connections so far, without the client's probe. */
    public int connections() {
        return connections.get() - 1;
    }

    /** The field block of a status (RFC 7541 section 6.2.2). */
    public static byte[] status(int code) {
        return join(new byte[] {8, 3}, text(Integer.toString(code)));
    }

    /** A field's part of a block. */
    public static byte[] field(String name, String value) {
        return join(new byte[] {0, (byte) name.length()}, text(name), new byte[] {(byte) value.length()}, text(value));
    }

    /** Bytes of a text. */
    public static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** A frame. */
    public static byte[] frame(int type, int flags, int stream, byte[]... payload) {
        byte[] all = join(payload);
        byte[] length = number(all.length);
        return join(new byte[] {length[1], length[2], length[3], (byte) type, (byte) flags}, number(stream), all);
    }

    /** Four bytes of a number. */
    public static byte[] number(int number) {
        return new byte[] {(byte) (number >>> 24), (byte) (number >>> 16), (byte) (number >>> 8), (byte) number};
    }

    public static byte[] join(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = listener.accept();
                open.add(socket);
                int number = connections.getAndIncrement() - 1;
                start(() -> serve(socket, number));
            }
        } catch (IOException ignored) {
            // close() ends the listener.
            return;
        }
    }

    private void serve(Socket socket, int number) {
        try (socket) {
            socket.setTcpNoDelay(true);
            Peer peer = new Peer(socket, closed);
            if (number < 0) {
                peer.begin();
                peer.await(GOAWAY);
                return;
            }
            behaviour.serve(peer, number);
        } catch (IOException ignored) {
            // The client closed the connection, as it may.
            return;
        } finally {
            open.remove(socket);
        }
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "frame-server");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        listener.close();
        closed.countDown();
        for (Socket socket : open) {
            socket.close();
        }
    }
}
