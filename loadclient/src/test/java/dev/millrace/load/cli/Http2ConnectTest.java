package dev.millrace.load.cli;

import static dev.millrace.load.Http2FrameServer.END_HEADERS;
import static dev.millrace.load.Http2FrameServer.GOAWAY;
import static dev.millrace.load.Http2FrameServer.HEADERS;
import static dev.millrace.load.Http2FrameServer.PING;
import static dev.millrace.load.Http2FrameServer.RST_STREAM;
import static dev.millrace.load.Http2FrameServer.WINDOW_UPDATE;
import static dev.millrace.load.Http2FrameServer.number;
import static dev.millrace.load.Http2FrameServer.status;
import static dev.millrace.load.Http2FrameServer.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.load.Http2FrameServer;
import dev.millrace.load.Http2FrameServer.Behaviour;
import dev.millrace.load.Http2FrameServer.Frame;
import dev.millrace.load.report.RunFile;
import dev.millrace.load.run.CellResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Servers of HTTP/2 that do not begin, and that do not read requests to their end. */
class Http2ConnectTest {

    private static final int INITIAL_WINDOW_SIZE = 4;

    @TempDir
    private Path folder;

    private Cli run(Http2FrameServer server, String... options) {
        List<String> all =
                new ArrayList<>(List.of("http", "--protocol=h2c", "-c=1", "--warmup=0s", "-q", "-o=" + folder));
        all.addAll(List.of(options));
        all.add(server.url());
        return Cli.run(all.toArray(String[]::new));
    }

    private CellResult cell() throws IOException {
        return RunFile.read(folder.resolve("run.json")).cells().get(0);
    }

    static Stream<Arguments> beginnings() {
        return Stream.of(
                beginning("connect", (peer, number) -> peer.awaitTestEnd()),
                beginning("connect", (peer, number) -> {
                    peer.preface();
                    // Each frame comes in time, but the settings never come.
                    while (true) {
                        peer.send(PING, 0, 0, new byte[8]);
                        peer.await(PING);
                    }
                }),
                beginning("reset", (peer, number) -> {
                    peer.preface();
                    peer.await(WINDOW_UPDATE);
                }),
                beginning("malformed answer", (peer, number) -> {
                    peer.preface();
                    peer.sendBytes(text("HTTP/1.1 503 Full\r\n\r\n"));
                    peer.await(GOAWAY);
                }),
                beginning("malformed answer", (peer, number) -> {
                    peer.preface();
                    peer.send(HEADERS, END_HEADERS, 1, status(200));
                    peer.await(GOAWAY);
                }));
    }

    private static Arguments beginning(String kind, Behaviour behaviour) {
        return Arguments.of(kind, behaviour);
    }

    @ParameterizedTest(name = "{index} {0}")
    @MethodSource("beginnings")
    void aServerThatDoesNotBeginIsAnError(String kind, Behaviour behaviour) throws IOException {
        try (Http2FrameServer server = new Http2FrameServer(behaviour)) {
            // Only what never comes is waited for. A pause of the machine must not end the other cases.
            Cli cli = run(server, "-n=1", "--timeout=" + (kind.equals("connect") ? "500ms" : "20s"));
            assertEquals(ExitCode.ERRORS, cli.code(), cli.out() + cli.err());
            assertEquals(Set.of(kind), cell().errors().keySet(), cli.err());
            assertEquals(0, cell().counts().cutOff());
        }
    }

    /** The client's write waits then, not its read. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    @Execution(ExecutionMode.CONCURRENT)
    void aServerThatDoesNotReadIsATimeout(int streams) throws IOException {
        Path body = Files.write(folder.resolve("body"), new byte[32 << 20]);
        try (Http2FrameServer server = new Http2FrameServer((peer, number) -> {
            peer.preface();
            // The client knows the window before it sends, if this frame comes before the settings.
            peer.send(WINDOW_UPDATE, 0, 0, number(Integer.MAX_VALUE - 65_535));
            peer.settings(INITIAL_WINDOW_SIZE, Integer.MAX_VALUE);
            peer.awaitTestEnd();
        })) {
            Cli cli = run(server, "-n=2", "--timeout=2500ms", "-m=PUT", "--body-file=" + body, "--streams=" + streams);
            assertEquals(ExitCode.ERRORS, cli.code(), cli.out() + cli.err());
            assertEquals(Set.of("timeout"), cell().errors().keySet(), cli.err());
            assertEquals(2, cell().errors().get("timeout").count());
        }
    }

    /** Otherwise the stream would stay open at the server, and count against its bound. */
    @Test
    void aRequestWhoseAnswerCameEarlyIsCancelled() throws IOException {
        Path body = Files.write(folder.resolve("body"), new byte[200_000]);
        Queue<Frame> frames = new ConcurrentLinkedQueue<>();
        try (Http2FrameServer server = new Http2FrameServer((peer, number) -> {
            peer.begin();
            while (true) {
                Frame frame = peer.read();
                frames.add(frame);
                if (frame.type() == HEADERS) {
                    peer.hello(frame.stream());
                }
            }
        })) {
            Cli cli = run(server, "-n=2", "--timeout=20s", "-m=PUT", "--body-file=" + body);
            assertEquals(ExitCode.GOOD, cli.code(), cli.err());
            assertEquals(1, cell().counts().connections());
            assertTrue(
                    frames.stream().anyMatch(frame -> frame.type() == RST_STREAM && frame.stream() == 1),
                    "the stream is open");
        }
    }
}
