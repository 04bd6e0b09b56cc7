package dev.millrace.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/** Passes one connection on to a server, up to a number of bytes in either direction; then it resets both sides. */
public final class Relay implements AutoCloseable {
    private final ServerSocket listener = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"));
    private final AtomicLong up = new AtomicLong();
    private final AtomicLong down = new AtomicLong();
    private final BooleanSupplier isRead;
    private final Thread thread;
    private volatile AssertionError failure;

    public Relay(int serverPort, long mostUp, long mostDown) throws IOException {
        this(serverPort, mostUp, mostDown, () -> true);
    }

    /** @param isRead whether the server has read all bytes that may go to it: it is not reset before */
    public Relay(int serverPort, long mostUp, long mostDown, BooleanSupplier isRead) throws IOException {
        this.isRead = isRead;
        thread = new Thread(() -> run(serverPort, mostUp, mostDown), "relay");
        thread.start();
    }

    public int port() {
        return listener.getLocalPort();
    }

    /** Bytes that went to the server. */
    public long up() {
        return up.get();
    }

    /** Bytes that went to the client. */
    public long down() {
        return down.get();
    }

    private void run(int serverPort, long mostUp, long mostDown) {
        try (Socket client = listener.accept();
                Socket server = new Socket("127.0.0.1", serverPort)) {
            client.setSoLinger(true, 0);
            server.setSoLinger(true, 0);
            // What it passes on in pieces would wait for acknowledgements.
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
            Thread back = new Thread(() -> pass(server, client, down, mostDown, () -> {}), "relay-back");
            back.start();
            pass(client, server, up, mostUp, () -> Await.until(mostUp + " bytes read", isRead));
            back.join();
        } catch (IOException ended) {
            // By close(), before anybody came.
        } catch (InterruptedException x) {
            Thread.currentThread().interrupt();
        }
    }

    private void pass(Socket from, Socket to, AtomicLong count, long most, Runnable beforeReset) {
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] bytes = new byte[16 * 1024];
            while (count.get() < most) {
                int n = in.read(bytes, 0, (int) Math.min(bytes.length, most - count.get()));
                if (n < 0) {
                    break;
                }
                out.write(bytes, 0, n);
                count.addAndGet(n);
            }
            if (count.get() >= most) {
                beforeReset.run();
            }
        } catch (IOException ended) {
            // The other direction has reset it, or a peer has.
        } catch (AssertionError x) {
            failure = x;
        } finally {
            close(from);
            close(to);
        }
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException ignored) {
            // It is closed either way.
        }
    }

    @Override
    public void close() throws Exception {
        listener.close();
        thread.join();
        if (failure != null) {
            throw failure;
        }
    }
}
