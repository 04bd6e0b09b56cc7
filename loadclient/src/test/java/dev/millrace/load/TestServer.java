package dev.millrace.load;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.net.ssl.SSLContext;

/** A server on a real socket with a thread per connection. A test defines its answers, right or wrong. */
public final class TestServer implements AutoCloseable {

    /** A request of the client: the lines of its head, and its body. */
    public record Request(List<String> head, String body) {

        /** Path and query of the request line. */
        public String target() {
            return head.get(0).split(" ")[1];
        }

        /** Whether the client asks for the connection to be closed. */
        public boolean wantsClose() {
            return head.stream().anyMatch(line -> line.equalsIgnoreCase("Connection: close"));
        }
    }

    /** Answers one request. */
    public interface Behaviour {

        /** Writes the answer; closing the socket ends the connection. */
        void answer(Request request, OutputStream out, Socket socket) throws IOException;
    }

    /** Short beside a window, and long beside what an answer costs. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final String scheme;
    private final ServerSocket listener;
    private final Thread acceptor;
    private final Runnable accepted;
    private final Behaviour behaviour;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final Queue<Request> requests = new ConcurrentLinkedQueue<>();

    /** Listens on a free port of the loopback interface. */
    public TestServer(Behaviour behaviour) throws IOException {
        this("http", new ServerSocket(0, 1024, InetAddress.getLoopbackAddress()), () -> {}, behaviour);
    }

    /** Listens on a port that the test which has started this process holds. */
    public static TestServer onHeldPort(int number, Behaviour behaviour) throws IOException {
        return new TestServer("http", HeldPort.listener(number), () -> {}, behaviour);
    }

    /** Listens on a free port of the loopback interface, and speaks TLS. */
    public TestServer(SSLContext tls, Behaviour behaviour) throws IOException {
        this(tls, () -> {}, behaviour);
    }

    /** Listens on a free port of the loopback interface, and speaks TLS with each client when it has run this. */
    public TestServer(SSLContext tls, Runnable accepted, Behaviour behaviour) throws IOException {
        this(
                "https",
                tls.getServerSocketFactory().createServerSocket(0, 1024, InetAddress.getLoopbackAddress()),
                accepted,
                behaviour);
    }

    private TestServer(String scheme, ServerSocket listener, Runnable accepted, Behaviour behaviour) {
        this.scheme = scheme;
        this.listener = listener;
        this.accepted = accepted;
        this.behaviour = behaviour;
        this.acceptor = start(this::accept);
    }

    /** The URL of a path. */
    public String url(String path) {
        return scheme + "://127.0.0.1:" + listener.getLocalPort() + path;
    }

    /** All requests so far. */
    public List<Request> requests() {
        return List.copyOf(requests);
    }

    /** Writes an answer with a Content-Length. */
    public static void send(OutputStream out, String status, String type, byte[] body) throws IOException {
        out.write(
                ("HTTP/1.1 " + status + "\r\nContent-Type: " + type + "\r\nContent-Length: " + body.length + "\r\n\r\n")
                        .getBytes(StandardCharsets.US_ASCII));
        out.write(body);
    }

    /** Takes the time that a server needs for an answer. It is what a test measures, and nothing that it waits for. */
    public static void takeTime(long nanos) {
        long begin = System.nanoTime();
        for (long left = nanos; left > 0; left = nanos - (System.nanoTime() - begin)) {
            LockSupport.parkNanos(left);
        }
    }

    /**
     * Answers after a pause. A client that measures asks again at once: without it, both keep the cores busy for the whole window, to the
     * harm of the test beside this one.
     */
    public static Behaviour unhurried(Behaviour behaviour) {
        return (request, out, socket) -> {
            LockSupport.parkNanos(PAUSE_NANOS);
            behaviour.answer(request, out, socket);
        };
    }

    /** A right answer of the UUID service to a request for random ones. */
    public static byte[] uuids(int count) {
        return uuids(count, 4);
    }

    private static byte[] uuids(int count, int version) {
        StringBuilder xml = new StringBuilder("<?xml version='1.0' encoding='UTF-8'?><response>");
        for (int i = 0; i < count; i++) {
            xml.append(String.format(
                    Locale.ROOT, "<uuid>6ba7b810-9dad-%d1d1-80b4-%012x</uuid>", version, 0xc04fd430c8L + i));
        }
        return xml.append("</response>").toString().getBytes(StandardCharsets.US_ASCII);
    }

    /** Answers as the UUID service does, with as many UUIDs as the request asks for. */
    public static void answerUuids(Request request, OutputStream out, Socket socket) throws IOException {
        String asked = request.head().get(0).startsWith("POST") ? request.body() : request.target();
        String count = asked.replaceFirst(".*count=\"?(\\d+).*", "$1");
        int version = asked.contains("TIME") ? 1 : asked.contains("NAME") ? 5 : 4;
        send(out, "200 OK", "text/xml", uuids(Integer.parseInt(count), version));
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = listener.accept();
                open.add(socket);
                start(() -> serve(socket));
            }
        } catch (IOException ignored) {
            // close() ends the listener.
            return;
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            socket.setTcpNoDelay(true);
            accepted.run();
            InputStream in = new BufferedInputStream(socket.getInputStream());
            while (!socket.isClosed()) {
                Request request = read(in);
                if (request == null) {
                    return;
                }
                requests.add(request);
                behaviour.answer(request, socket.getOutputStream(), socket);
                if (request.wantsClose()) {
                    return;
                }
            }
        } catch (IOException ignored) {
            // The client closed the connection, as it may.
            return;
        } finally {
            open.remove(socket);
        }
    }

    private static Request read(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int b = in.read();
            if (b < 0) {
                return null;
            }
            head.append((char) b);
        }
        List<String> lines =
                head.toString().lines().filter(line -> !line.isEmpty()).toList();
        int length = lines.stream()
                .map(line -> line.toLowerCase(Locale.ROOT))
                .filter(line -> line.startsWith("content-length:"))
                .mapToInt(line -> Integer.parseInt(line.substring(15).strip()))
                .findFirst()
                .orElse(0);
        return new Request(lines, new String(in.readNBytes(length), StandardCharsets.UTF_8));
    }

    private static Thread start(Runnable task) {
        Thread thread = new Thread(task, "test-server");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** Waits for the acceptor, because the kernel accepts connections until that thread has left accept(). */
    private void awaitAcceptor() throws IOException {
        try {
            acceptor.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException();
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        awaitAcceptor();
        for (Socket socket : open) {
            socket.close();
        }
    }
}
