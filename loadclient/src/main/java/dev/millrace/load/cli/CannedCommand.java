package dev.millrace.load.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * The server of the self-test. It answers every request with the same bytes, at the least cost. It ends with its
 * standard input, so that it never outlives the process that started it.
 */
@Command(name = "canned", hidden = true, description = "Answers every GET with the same UUID, for the self-test.")
final class CannedCommand implements Callable<Integer> {

    private static final int BACKLOG = 1024;
    private static final int BUFFER_BYTES = 4096;
    private static final String BODY = "<?xml version=\"1.0\" encoding=\"UTF-8\"?><response>"
            + "<uuid>6ba7b810-9dad-41d1-80b4-00c04fd430c8</uuid></response>";
    private static final byte[] ANSWER = ("HTTP/1.1 200 OK\r\nContent-Type: text/xml;charset=utf-8\r\nContent-Length: "
                    + BODY.length() + "\r\n\r\n" + BODY)
            .getBytes(StandardCharsets.US_ASCII);
    private static final int END_OF_HEAD = 0x0d0a0d0a;

    @Spec
    private CommandSpec spec;

    /** Runs the server alone, in the JVM that the self-test starts. */
    public static void main(String[] args) throws IOException {
        listen(new PrintWriter(System.out, true, StandardCharsets.UTF_8));
    }

    @Override
    public Integer call() throws IOException {
        listen(spec.commandLine().getOut());
        return ExitCode.GOOD;
    }

    private static void listen(PrintWriter out) throws IOException {
        try (ServerSocket listener = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress())) {
            start(() -> accept(listener));
            out.println("CANNED listening on http://127.0.0.1:" + listener.getLocalPort());
            // This waits for the end of the input, with which the server ends.
            System.in.transferTo(OutputStream.nullOutputStream());
        }
    }

    private static void accept(ServerSocket listener) {
        try {
            while (true) {
                Socket socket = listener.accept();
                start(() -> serve(socket));
            }
        } catch (IOException ignored) {
            // The listener was closed, because the self-test is over.
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
            // The client has closed the connection.
            return;
        }
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "canned");
        thread.setDaemon(true);
        thread.start();
    }
}
