package dev.millrace.load.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.load.http.HttpConnection;
import dev.millrace.load.http.Target;
import dev.millrace.load.http.TlsSettings;
import dev.millrace.load.run.RunSettings.Limits;
import dev.millrace.load.run.RunSettings.Warmup;
import dev.millrace.load.scenario.UuidWorkload;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Clients that still connect when their cell ends, because the server does not accept. */
class ConnectingClientTest {

    private static final int CLIENTS = 3;

    private final List<Socket> waiting = new ArrayList<>();

    @AfterEach
    void close() throws IOException {
        for (Socket socket : waiting) {
            socket.close();
        }
    }

    /** Connects until the kernel's accept queue is full. */
    private void fill(ServerSocket listener) throws IOException {
        while (true) {
            Socket socket = new Socket();
            waiting.add(socket);
            try {
                socket.connect(listener.getLocalSocketAddress(), 200);
            } catch (SocketTimeoutException e) {
                return;
            }
        }
    }

    /** The clients that connect, or wait for an answer if the kernel took one more connection. */
    private static long connecting() {
        return Thread.getAllStackTraces().entrySet().stream()
                .filter(one -> one.getKey().getName().equals("client"))
                .filter(one -> Arrays.stream(one.getValue())
                        .anyMatch(frame -> frame.getClassName().equals(HttpConnection.class.getName())
                                && frame.getMethodName().matches("open|exchange")))
                .count();
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void connectingClientsEndWhenTheCellIsStopped() throws Exception {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            fill(listener);
            UuidWorkload work = new UuidWorkload(
                    Target.of("http://127.0.0.1:" + listener.getLocalPort() + "/"),
                    new UuidWorkload.Settings("GET", true, "RANDOM", 1, null, List.of(), UuidWorkload.Check.FULL));
            Duration timeout = Duration.ofSeconds(20);
            RunSettings settings = new RunSettings(
                    Warmup.of(Duration.ZERO),
                    timeout,
                    0,
                    timeout,
                    timeout,
                    Duration.ZERO,
                    1,
                    0,
                    0,
                    List.of(),
                    TlsSettings.ofJdk(),
                    Limits.NONE);
            CellRun run = new CellRun(
                    new Cell("", CLIENTS, 0, 0, work),
                    settings,
                    null,
                    (warmingUp, seconds, left, requests, bytes, errors) -> {});
            CompletableFuture<CellResult> result = new CompletableFuture<>();
            Thread thread = new Thread(() -> {
                try {
                    result.complete(run.run(0));
                } catch (InterruptedException e) {
                    result.completeExceptionally(e);
                }
            });
            thread.start();
            while (connecting() < CLIENTS) {
                Thread.onSpinWait();
            }
            run.stop();
            assertEquals(Map.of(), result.get().errors(), "none that timed out");
            assertEquals(CLIENTS, result.get().counts().cutOff());
        }
    }
}
