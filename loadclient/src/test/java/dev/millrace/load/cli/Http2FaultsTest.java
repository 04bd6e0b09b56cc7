package dev.millrace.load.cli;

import static dev.millrace.load.Http2FrameServer.CONTINUATION;
import static dev.millrace.load.Http2FrameServer.DATA;
import static dev.millrace.load.Http2FrameServer.END_HEADERS;
import static dev.millrace.load.Http2FrameServer.END_STREAM;
import static dev.millrace.load.Http2FrameServer.GOAWAY;
import static dev.millrace.load.Http2FrameServer.HEADERS;
import static dev.millrace.load.Http2FrameServer.PADDED;
import static dev.millrace.load.Http2FrameServer.PING;
import static dev.millrace.load.Http2FrameServer.PRIORITY;
import static dev.millrace.load.Http2FrameServer.RST_STREAM;
import static dev.millrace.load.Http2FrameServer.WINDOW_UPDATE;
import static dev.millrace.load.Http2FrameServer.field;
import static dev.millrace.load.Http2FrameServer.frame;
import static dev.millrace.load.Http2FrameServer.join;
import static dev.millrace.load.Http2FrameServer.number;
import static dev.millrace.load.Http2FrameServer.status;
import static dev.millrace.load.Http2FrameServer.text;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.load.Http2FrameServer;
import dev.millrace.load.Http2FrameServer.Answer;
import dev.millrace.load.report.RunFile;
import dev.millrace.load.run.CellResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Frames of HTTP/2 that a server must not send are errors, and unusual ones are none. */
class Http2FaultsTest {

    private static final int PLAIN = 0;
    private static final int LAST = END_STREAM;

    @TempDir
    private Path folder;

    private Cli run(Http2FrameServer server, String... options) {
        List<String> all = new ArrayList<>(
                List.of("http", "--protocol=h2c", "-c=1", "--warmup=0s", "-q", "--timeout=20s", "-o=" + folder));
        all.addAll(List.of(options));
        all.add(server.url());
        return Cli.run(all.toArray(String[]::new));
    }

    private CellResult cell() throws IOException {
        return RunFile.read(folder.resolve("run.json")).cells().get(0);
    }

    static Stream<Arguments> unusual() {
        return Stream.of(
                unusual("padding", (peer, stream) -> {
                    peer.send(HEADERS, END_HEADERS | PADDED, stream, new byte[] {2}, status(200), new byte[2]);
                    peer.send(DATA, PADDED, stream, new byte[] {3}, text("hello"), new byte[3]);
                    peer.send(DATA, PADDED | LAST, stream, new byte[] {1, 0});
                }),
                unusual("interim answers", (peer, stream) -> {
                    peer.send(HEADERS, END_HEADERS, stream, status(103), field("link", "x"));
                    peer.send(HEADERS, END_HEADERS, stream, status(100));
                    peer.hello(stream);
                }),
                unusual("trailers", (peer, stream) -> {
                    peer.send(HEADERS, END_HEADERS, stream, status(200));
                    peer.send(DATA, PLAIN, stream, text("hello"));
                    peer.send(HEADERS, END_HEADERS | LAST, stream, field("x-sum", "1"));
                }),
                unusual("fields in pieces", (peer, stream) -> {
                    byte[] block = status(200);
                    peer.send(HEADERS, PLAIN, stream, new byte[] {block[0]});
                    peer.send(CONTINUATION, PLAIN, stream);
                    peer.send(CONTINUATION, END_HEADERS, stream, new byte[] {block[1], block[2], block[3], block[4]});
                    peer.send(DATA, LAST, stream, text("hello"));
                }),
                unusual("frames of other kinds", (peer, stream) -> {
                    peer.send(PING, PLAIN, 0, new byte[8]);
                    peer.send(0x77, 0xff, 0, text("unknown"));
                    peer.send(PRIORITY, PLAIN, stream + 4, new byte[5]);
                    peer.hello(stream);
                }),
                unusual("flags without a meaning", (peer, stream) -> {
                    peer.send(PING, PADDED, 0, new byte[] {1, 2, 3, 4, 5, 6, 7, 8});
                    peer.send(WINDOW_UPDATE, PADDED, 0, number(9));
                    peer.hello(stream);
                }),
                unusual("frames on streams that have ended", (peer, stream) -> {
                    peer.hello(stream);
                    peer.send(WINDOW_UPDATE, PLAIN, stream, number(9));
                    peer.send(RST_STREAM, PLAIN, stream, number(0));
                }));
    }

    private static Arguments unusual(String name, Answer answer) {
        return Arguments.of(name, answer);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("unusual")
    void unusualFramesAreNoErrors(String name, Answer answer) throws IOException {
        for (int streams : new int[] {1, 3}) {
            try (Http2FrameServer server = Http2FrameServer.answering(answer)) {
                Cli cli = run(server, "-n=6", "--streams=" + streams);
                assertEquals(ExitCode.GOOD, cli.code(), cli.err());
                assertEquals(30, cell().counts().bytes());
                assertEquals(1, cell().counts().connections());
            }
        }
    }

    /** A server may go away with its last answer: no request is lost, since the client has sent none yet. */
    @Test
    void aServerThatGoesAwayWithAnAnswerLosesNone() throws IOException {
        try (Http2FrameServer server = Http2FrameServer.answering((peer, stream) -> {
            byte[] head = frame(HEADERS, END_HEADERS, stream, status(200));
            byte[] body = frame(DATA, LAST, stream, text("hello"));
            peer.sendBytes(join(head, body, frame(GOAWAY, PLAIN, 0, number(stream), number(0))));
        })) {
            Cli cli = run(server, "-n=6");
            assertEquals(ExitCode.GOOD, cli.code(), cli.err());
            assertEquals(6, cell().counts().connections());
        }
    }

    static Stream<Arguments> faults() {
        return Stream.of(
                fault("trailers, and DATA after them", "malformed answer", (peer, stream) -> {
                    peer.send(HEADERS, END_HEADERS, stream, status(200));
                    peer.send(DATA, PLAIN, stream, text("hel"));
                    peer.send(HEADERS, END_HEADERS, stream, field("x-sum", "1"));
                    peer.send(DATA, LAST, stream, text("lo"));
                }),
                fault("trailers with a status", "malformed answer", (peer, stream) -> {
                    peer.send(HEADERS, END_HEADERS, stream, status(200));
                    peer.send(HEADERS, END_HEADERS | LAST, stream, status(500));
                }),
                fault("a second answer", "malformed answer", (peer, stream) -> {
                    peer.send(HEADERS, END_HEADERS, stream, status(200));
                    peer.hello(stream);
                }),
                fault(
                        "a last answer that is interim",
                        "malformed answer",
                        (peer, stream) -> peer.send(HEADERS, END_HEADERS | LAST, stream, status(103))),
                fault("a negative length", "malformed answer", length("-5")),
                fault("a length with a sign", "malformed answer", length("+5")),
                fault("a length that is too large", "malformed answer", length("99999999999999999999")),
                fault("a longer body", "wrong content", length("4")),
                fault("a shorter body", "short body", length("6")),
                fault("two lengths", "malformed answer", (peer, stream) -> {
                    peer.send(
                            HEADERS,
                            END_HEADERS,
                            stream,
                            status(200),
                            field("content-length", "5"),
                            field("content-length", "6"));
                    peer.send(DATA, LAST, stream, text("hello"));
                }),
                fault("more padding than payload", "malformed answer", (peer, stream) -> {
                    peer.send(HEADERS, END_HEADERS, stream, status(200));
                    peer.send(DATA, PADDED | LAST, stream, new byte[] {9}, text("hello"));
                }),
                fault("padding without its length", "malformed answer", (peer, stream) -> {
                    peer.send(HEADERS, END_HEADERS, stream, status(200));
                    peer.send(DATA, PADDED | LAST, stream);
                }),
                fault("a frame inside a field block", "malformed answer", (peer, stream) -> {
                    peer.send(HEADERS, PLAIN, stream, new byte[] {8, 3});
                    peer.send(PING, PLAIN, 0, new byte[8]);
                    peer.send(CONTINUATION, END_HEADERS, stream, text("200"));
                    peer.send(DATA, LAST, stream, text("hello"));
                }),
                fault(
                        "an answer on a stream without a request",
                        "malformed answer",
                        (peer, stream) -> peer.hello(stream + 100)),
                fault("an answer on a stream of the server", "malformed answer", (peer, stream) -> peer.hello(2)),
                fault(
                        "DATA on no stream",
                        "malformed answer",
                        (peer, stream) -> peer.send(DATA, PLAIN, 0, text("hello"))),
                fault(
                        "a reset of a stream without a request",
                        "malformed answer",
                        (peer, stream) -> peer.send(RST_STREAM, PLAIN, stream + 100, number(0))),
                fault("a field of the connection", "malformed answer", (peer, stream) -> {
                    peer.send(HEADERS, END_HEADERS, stream, status(200), field("transfer-encoding", "chunked"));
                    peer.send(DATA, LAST, stream, text("hello"));
                }),
                fault("a field's name in capitals", "malformed answer", (peer, stream) -> {
                    peer.send(HEADERS, END_HEADERS, stream, status(200), field("Server", "x"));
                    peer.send(DATA, LAST, stream, text("hello"));
                }),
                fault("a second status", "malformed answer", (peer, stream) -> {
                    peer.send(HEADERS, END_HEADERS, stream, status(200), status(500));
                    peer.send(DATA, LAST, stream, text("hello"));
                }),
                fault("a pseudo-header field of requests", "malformed answer", (peer, stream) -> {
                    peer.send(HEADERS, END_HEADERS, stream, status(200), field(":path", "/"));
                    peer.send(DATA, LAST, stream, text("hello"));
                }),
                fault("trailers with a pseudo-header field", "malformed answer", (peer, stream) -> {
                    peer.send(HEADERS, END_HEADERS, stream, status(200));
                    peer.send(DATA, PLAIN, stream, text("hello"));
                    peer.send(HEADERS, END_HEADERS | LAST, stream, field(":path", "/"));
                }),
                fault(
                        "a field that no table has",
                        "malformed answer",
                        (peer, stream) -> peer.send(HEADERS, END_HEADERS | LAST, stream, new byte[] {(byte) 0xfe})),
                fault(
                        "a field of the index 0",
                        "malformed answer",
                        (peer, stream) -> peer.send(HEADERS, END_HEADERS | LAST, stream, new byte[] {(byte) 0x80})),
                fault("a reset of an answer that has begun", "stream reset", (peer, stream) -> {
                    peer.send(HEADERS, END_HEADERS, stream, status(200));
                    peer.send(DATA, PLAIN, stream, text("hello"));
                    peer.send(RST_STREAM, PLAIN, stream, number(0));
                }));
    }

    private static Arguments fault(String name, String kind, Answer answer) {
        return Arguments.of(name, kind, answer);
    }

    private static Answer length(String value) {
        return (peer, stream) -> {
            peer.send(HEADERS, END_HEADERS, stream, status(200), field("content-length", value));
            peer.send(DATA, LAST, stream, text("hello"));
        };
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("faults")
    void faultsAreErrors(String name, String kind, Answer answer) throws IOException {
        for (int streams : new int[] {1, 2}) {
            try (Http2FrameServer server = Http2FrameServer.answering(answer)) {
                Cli cli = run(server, "-n=2", "--streams=" + streams);
                assertEquals(ExitCode.ERRORS, cli.code(), cli.err());
                assertEquals(Set.of(kind), cell().errors().keySet(), cli.err());
                assertEquals(2, cell().errors().get(kind).count());
            }
        }
    }

    /** The answer itself has counted by then, so that the fault is one of the request that waits beside it. */
    @ParameterizedTest
    @ValueSource(ints = {DATA, HEADERS})
    void whatComesBehindTheEndOfAnAnswerIsAnError(int type) throws IOException {
        byte[] more = type == DATA ? text("more") : status(200);
        try (Http2FrameServer server = new Http2FrameServer((peer, number) -> {
            peer.begin();
            int stream = peer.request();
            peer.request();
            peer.hello(stream);
            peer.send(type, type == DATA ? LAST : END_HEADERS | LAST, stream, more);
            peer.awaitTestEnd();
        })) {
            Cli cli = run(server, "-n=2", "--streams=2");
            assertEquals(ExitCode.ERRORS, cli.code(), cli.err());
            assertEquals(Set.of("malformed answer"), cell().errors().keySet(), cli.err());
            assertEquals(1, cell().errors().get("malformed answer").count());
            assertEquals(1, cell().counts().requests());
        }
    }

    /** What was on the way when the client gave the rest of an answer up is none of the server's faults. */
    @Test
    void whatComesBehindTheEndOfARequestIsNoError() throws IOException {
        Path body = Files.write(folder.resolve("body"), new byte[200_000]);
        try (Http2FrameServer server = new Http2FrameServer((peer, number) -> {
            peer.begin();
            while (true) {
                int stream = peer.request();
                // Its body waits for the window, so that the client resets the stream.
                peer.hello(stream);
                peer.send(DATA, LAST, stream, text("more"));
            }
        })) {
            Cli cli = run(server, "-n=2", "-m=PUT", "--body-file=" + body);
            assertEquals(ExitCode.GOOD, cli.code(), cli.err());
            assertEquals(1, cell().counts().connections());
        }
    }

    @ParameterizedTest
    @MethodSource("bodiless")
    void answersWithoutContentHaveNone(String method, int code) throws IOException {
        try (Http2FrameServer server = Http2FrameServer.answering((peer, stream) -> {
            peer.send(HEADERS, END_HEADERS, stream, status(code));
            peer.send(DATA, LAST, stream, text("hello"));
        })) {
            Cli cli = run(server, "-n=2", "-m=" + method, "--expect-status=" + code);
            assertEquals(ExitCode.ERRORS, cli.code(), cli.err());
            assertEquals(Set.of("wrong content"), cell().errors().keySet());
        }
    }

    static Stream<Arguments> bodiless() {
        return Stream.of(Arguments.of("HEAD", 200), Arguments.of("GET", 204), Arguments.of("GET", 304));
    }
}
