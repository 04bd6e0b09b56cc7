package dev.millrace.load.cli;

import static dev.millrace.load.Http2FrameServer.DATA;
import static dev.millrace.load.Http2FrameServer.PING;
import static dev.millrace.load.Http2FrameServer.SETTINGS;
import static dev.millrace.load.Http2FrameServer.WINDOW_UPDATE;
import static dev.millrace.load.Http2FrameServer.number;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.load.Http2FrameServer;
import dev.millrace.load.Http2FrameServer.Frame;
import dev.millrace.load.Http2FrameServer.Peer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server may make the windows of streams that are open smaller (RFC 9113 section 6.9.2). */
class Http2WindowTest {

    private static final int INITIAL_WINDOW_SIZE = 4;
    private static final int WIDE = 20_000;
    private static final int NARROW = 1_000;
    private static final int BODY = 50_000;

    @TempDir
    private Path folder;

    private static void take(Peer peer, int bytes) throws IOException {
        for (int came = 0; came < bytes; ) {
            came += peer.await(DATA).payload().length;
        }
    }

    /** It is below 0 then, and what opens it up to 0 allows nothing. */
    @Test
    void aWindowThatShrinksIsKept() throws IOException {
        Path body = Files.write(folder.resolve("body"), new byte[BODY]);
        Queue<Frame> unasked = new ConcurrentLinkedQueue<>();
        try (Http2FrameServer server = new Http2FrameServer((peer, number) -> {
            peer.begin(INITIAL_WINDOW_SIZE, WIDE);
            while (true) {
                int stream = peer.request();
                take(peer, WIDE);
                peer.settings(INITIAL_WINDOW_SIZE, NARROW);
                peer.await(SETTINGS);
                peer.send(WINDOW_UPDATE, 0, 0, number(BODY));
                peer.send(WINDOW_UPDATE, 0, stream, number(WIDE - NARROW));
                peer.send(PING, 0, 0, new byte[Long.BYTES]);
                Frame next = peer.read();
                if (next.type() != PING) {
                    unasked.add(next);
                }
                peer.send(WINDOW_UPDATE, 0, stream, number(BODY - WIDE));
                take(peer, BODY - WIDE);
                peer.settings(INITIAL_WINDOW_SIZE, WIDE);
                peer.hello(stream);
            }
        })) {
            Cli cli = Cli.run(
                    "http",
                    "--protocol=h2c",
                    "-c=1",
                    "-n=3",
                    "--warmup=0s",
                    "-q",
                    "--timeout=20s",
                    "-m=PUT",
                    "--body-file=" + body,
                    server.url());
            assertEquals(ExitCode.GOOD, cli.code(), cli.out() + cli.err());
            assertEquals(List.of(), List.copyOf(unasked));
        }
    }
}
