package dev.millrace.peers;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class HoldIT {
    private static final byte[] ANSWER =
            "HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\nHello, World!".getBytes(US_ASCII);

    private static Process hold(ServerSocket server, String... args) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                // The JVM would warn on standard output.
                "-Xlog:disable",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("peers.jar"),
                "dev.millrace.peers.Hold",
                Integer.toString(server.getLocalPort())));
        command.addAll(List.of(args));
        return new ProcessBuilder(command).start();
    }

    private static String head(InputStream in, String end) throws IOException {
        StringBuilder head = new StringBuilder();
        while (!head.toString().endsWith(end)) {
            int next = in.read();
            assertTrue(next >= 0, head.toString());
            head.append((char) next);
        }
        return head.toString();
    }

    @Test
    void holdsIdleConnectionsAndCountsThoseClosed() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 10, InetAddress.getByName("127.0.0.1"))) {
            Process hold = hold(server, "3");
            List<Socket> accepted = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                Socket socket = server.accept();
                accepted.add(socket);
                assertTrue(head(socket.getInputStream(), "\r\n\r\n").startsWith("GET /hello HTTP/1.1\r\n"));
                socket.getOutputStream().write(ANSWER);
            }
            try (BufferedReader out = new BufferedReader(new InputStreamReader(hold.getInputStream(), US_ASCII))) {
                assertEquals("holding 3", out.readLine());
                accepted.get(1).close();
                hold.toHandle().destroy();
                assertEquals("closed 1", out.readLine());
            } finally {
                hold.destroyForcibly();
            }
            for (Socket socket : accepted) {
                socket.close();
            }
        }
    }

    @Test
    void tricklesAndComesAgain() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 10, InetAddress.getByName("127.0.0.1"))) {
            Process hold = hold(server, "1", "trickle");
            try {
                try (Socket first = server.accept()) {
                    assertTrue(head(first.getInputStream(), "xx").startsWith("GET /hello HTTP/1.1\r\n"));
                }
                try (Socket second = server.accept()) {
                    assertTrue(head(second.getInputStream(), "x").startsWith("GET /hello HTTP/1.1\r\n"));
                }
            } finally {
                hold.destroyForcibly();
            }
        }
    }
}
