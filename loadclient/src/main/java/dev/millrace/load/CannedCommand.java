package dev.millrace.load;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * The other end of the self-test: answers every request with the same bytes, at the least cost. Ends with its standard
 * input, so that it never outlives whoever started it.
 */
@Command(name = "canned", hidden = true, description = "Answers every GET with the same UUID, for the self-test.")
final class CannedCommand implements Callable<Integer> {

    private static final int BACKLOG = 1024;
    private static final int BUFFER_BYTES = 4096;
    private static final String BODY = "<?xml version=\"1.0\" encoding=\"UTF-8\"?><response>"
            + "<uuid>6ba7b810-9dad-11d1-80b4-00c04fd430c8</uuid></response>";
    private static final byte[] ANSWER = ("HTTP/1.1 200 OK\r\nContent-Type: text/xml;charset=utf-8\r\nContent-Length: "
            + BODY.length() + "\r\n\r\n" + BODY).getBytes(StandardCharsets.US_ASCII);
    private static final int END_OF_HEAD = 0x0d0a0d0a;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        try (ServerSocket listener = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress())) {
            start(() -> accept(listener));
            spec.commandLine().getOut().println("CANNED listening on http://127.0.0.1:" + listener.getLocalPort());
            while (System.in.read() >= 0) {
                continue;
            }
        }
        return Main.GOOD;
    }

    private static void accept(ServerSocket listener) {
        try {
            while (true) {
                Socket socket = listener.accept();
                start(() -> serve(socket));
            }
        } catch (IOException ignored) {
            // The listener was closed: the test is over.
            return;
        }
    }

    private static void serve(Socket socket) {
        try (socket) {
            socket.setTcpNoDelay(true);
            InputStream in = socket.getInputStream();
            OutputStream out = socket.getOutputStream();
            byte[] buffer = new byte[BUFFER_BYTES];
            int tail = 0;
            int count;
            while ((count = in.read(buffer)) >= 0) {
                for (int i = 0; i < count; i++) {
                    tail = tail << 8 | buffer[i];
                    if (tail == END_OF_HEAD) {
                        out.write(ANSWER);
                    }
                }
            }
        } catch (IOException ignored) {
            // The client has what it wanted.
            return;
        }
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "canned");
        thread.setDaemon(true);
        thread.start();
    }
}
