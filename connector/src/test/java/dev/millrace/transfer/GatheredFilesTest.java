package dev.millrace.transfer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.files.SendfileHandler;
import dev.millrace.files.SendfileSettings;
import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Logged;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.RawClient.Answer;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Contents that leave with their header by one write, as far as the socket takes them. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#senders")
class GatheredFilesTest {
    private static final int FILE_BYTES = 60_000;
    /** What a connection with a platform thread of its own writes at once before it knows its peer. */
    private static final int LEAST_BYTES = 32 * 1024;

    private static final String WAY = SendfileSettings.DEBUG_HEADER;

    @Parameter
    Connectors connectors;

    @TempDir
    Path directory;

    private final SendfileHandler files = new SendfileHandler();
    private byte[] bytes;

    @BeforeEach
    void write() throws Exception {
        bytes = TestFiles.write(directory, "file.bin", FILE_BYTES);
        files.setBaseResourceAsString(directory.toString());
        files.getSettings().setDebugHeader(true);
        files.getSettings().setValidMillis(-1);
        // What is asked for often would come from there.
        files.getSettings().setMaxCacheBytes(0);
    }

    private TestServer server() throws Exception {
        return new TestServer(connectors::http);
    }

    @Test
    void leaveWithoutACallOfTheirOwn() throws Exception {
        try (TestServer server = server().start(files);
                RawClient client = server.client()) {
            for (int i = 0; i < 3; i++) {
                Answer answer = client.get("/file.bin").answer();
                assertArrayEquals(bytes, answer.body());
                assertEquals("GATHERED", answer.headers().get(WAY));
            }
            Answer range = client.send("GET /file.bin HTTP/1.1\r\nHost: localhost\r\nRange: bytes=10000-49999\r\n\r\n")
                    .answer();
            assertArrayEquals(Arrays.copyOfRange(bytes, 10_000, 50_000), range.body());
            TransferStatistics counted = server.transfers();
            Await.until("counted", () -> counted.getCompleted() == 4);
            assertTrue(counted.getCopiedBytes() >= 4 * LEAST_BYTES, counted.toString());
            assertEquals(4, files.getSendfileContentFactory().getObstacles().get("GATHERED"), "the range is one too");
        }
    }

    @Test
    void areTheRightOnesForAPeerWhoTakesLittle() throws Exception {
        int requests = 100;
        TestServer starting = server();
        starting.connector().setAcceptedSendBufferSize(8192);
        try (TestServer server = starting.start(files);
                RawClient client = new RawClient(server.port(), 8192)) {
            CompletableFuture<Void> asked = CompletableFuture.runAsync(() -> {
                try {
                    client.send("GET /file.bin HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(requests));
                } catch (IOException x) {
                    throw new java.io.UncheckedIOException(x);
                }
            });
            for (int i = 0; i < requests; i++) {
                assertArrayEquals(bytes, client.answer().body());
            }
            asked.join();
            TransferStatistics counted = server.transfers();
            Await.until("counted", () -> counted.getCompleted() == requests);
            assertTrue(
                    counted.getTransferredBytes() + counted.getRegionCopiedBytes() > 0,
                    "what the socket does not take at once goes on as a transfer: " + counted);
        }
    }

    /** With the window closed by the answers before it, nothing of the last one leaves but what its first write takes. */
    @Test
    void areNotFollowedByThoseOfALongerFile() throws Exception {
        // With a thread of its own, the rest is under way when the file is written over, or is read before.
        assumeTrue(connectors == Connectors.NIO || connectors == Connectors.NIO_SELECTOR);
        TestServer starting = server();
        starting.connector().setAcceptedSendBufferSize(128 * 1024);
        try (Logged logged = new Logged(FileFailedException.class.getName());
                TestServer server = starting.start(files);
                RawClient client = new RawClient(server.port(), 8192)) {
            AtomicInteger whole = new AtomicInteger(-1);
            do {
                client.get("/file.bin");
                whole.incrementAndGet();
                Await.until(
                        "sent or waits",
                        () -> server.transfers().getCompleted() > whole.get() || server.writesThatWait() > 0);
            } while (server.writesThatWait() == 0);
            Files.write(directory.resolve("file.bin"), new byte[FILE_BYTES + 1000], StandardOpenOption.WRITE);
            for (int i = 0; i < whole.get(); i++) {
                assertArrayEquals(bytes, client.answer().body());
            }
            assertThrows(IOException.class, client::answer);
            Await.until("said", () -> logged.count("file.bin was written over") == 1);
        }
    }

    /** Of its last page a mapping shows zeros where the file has ended. */
    @Test
    void areNotZerosWhenTheFileIsTruncated() throws Exception {
        try (Logged logged = new Logged(FileFailedException.class.getName());
                TestServer server = server().start(files);
                RawClient client = server.client()) {
            assertArrayEquals(bytes, client.get("/file.bin").answer().body());
            TestFiles.resize(directory.resolve("file.bin"), FILE_BYTES - 1);
            assertEquals(500, client.get("/file.bin").answer().status());
            assertEquals(1, logged.count("file.bin was truncated"));
            assertEquals(FILE_BYTES - 1, client.get("/file.bin").answer().body().length);
            assertEquals(0, server.transfers().getTruncations());
        }
    }

    @Test
    void areTransferredWhereThatIsWanted() throws Exception {
        files.getSettings().setMaxGatherBytes(0);
        try (TestServer server = server().start(files);
                RawClient client = server.client()) {
            Answer answer = client.get("/file.bin").answer();
            assertArrayEquals(bytes, answer.body());
            assertEquals("yes", answer.headers().get(WAY));
            Await.until("counted", () -> server.transfers().getCompleted() == 1);
            assertEquals(
                    FILE_BYTES,
                    server.transfers().getTransferredBytes()
                            + server.transfers().getRegionCopiedBytes());
        }
    }
}
