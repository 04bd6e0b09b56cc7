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

/** A real server on a real socket that answers as a test tells it to, rightly or not. A thread per connection. */
public final class TestServer implements AutoCloseable {

    /** What came from the client: the head's lines, and the body. */
    public record Request(List<String> head, String body) {

        /** Path and query of the request line. */
        public String target() {
            return head.get(0).split(" ")[1];
        }

        boolean wantsClose() {
            return head.stream().anyMatch(line -> line.equalsIgnoreCase("Connection: close"));
        }
    }

    /** Answers one request. */
    public interface Behaviour {

        /** Writes the answer; closing the socket ends the connection. */
        void answer(Request request, OutputStream out, Socket socket) throws IOException;
    }

    private final ServerSocket listener;
    private final Thread acceptor;
    private final Behaviour behaviour;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final Queue<Request> requests = new ConcurrentLinkedQueue<>();

    /** Listens on a free port of the loopback interface. */
    public TestServer(Behaviour behaviour) throws IOException {
        this(0, behaviour);
    }

    TestServer(int port, Behaviour behaviour) throws IOException {
        this.listener = new ServerSocket(port, 1024, InetAddress.getLoopbackAddress());
        this.behaviour = behaviour;
        this.acceptor = start(this::accept);
    }

    /** The URL of a path. */
    public String url(String path) {
        return "http://127.0.0.1:" + listener.getLocalPort() + path;
    }

    /** All requests so far. */
    public List<Request> requests() {
        return List.copyOf(requests);
    }

    /** Writes an answer with a Content-Length. */
    public static void send(OutputStream out, String status, String type, byte[] body) throws IOException {
        out.write(("HTTP/1.1 " + status + "\r\nContent-Type: " + type + "\r\nContent-Length: " + body.length
                + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
        out.write(body);
    }

    /** A right answer of the UUID service. */
    public static byte[] uuids(int count) {
        String uuid = "<uuid>6ba7b810-9dad-11d1-80b4-00c04fd430c8</uuid>";
        return ("<?xml version='1.0' encoding='UTF-8'?><response>" + uuid.repeat(count) + "</response>")
                .getBytes(StandardCharsets.US_ASCII);
    }

    /** Does what the UUID service does, for whatever count was asked. */
    public static void answerUuids(Request request, OutputStream out, Socket socket) throws IOException {
        String asked = request.head().get(0).startsWith("POST") ? request.body() : request.target();
        String count = asked.replaceFirst(".*count=\"?(\\d+).*", "$1");
        send(out, "200 OK", "text/xml", uuids(Integer.parseInt(count)));
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
            // The client went away, which is its right.
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
        List<String> lines = head.toString().lines().filter(line -> !line.isEmpty()).toList();
        int length = lines.stream().map(line -> line.toLowerCase(Locale.ROOT))
                .filter(line -> line.startsWith("content-length:"))
                .mapToInt(line -> Integer.parseInt(line.substring(15).strip())).findFirst().orElse(0);
        return new Request(lines, new String(in.readNBytes(length), StandardCharsets.UTF_8));
    }

    private static Thread start(Runnable task) {
        Thread thread = new Thread(task, "test-server");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** The system takes connections until who is in accept() has left it, which may be after the listener's close(). */
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
