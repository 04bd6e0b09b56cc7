package dev.millrace.testing;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.RawClient.Answer;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** Many clients of the same files at once: those that pipeline look whether each answer is their own; others break off. */
public final class MixedRequests {
    private static final int FILES = 20;

    private final Path root;
    private final String prefix;
    private final List<byte[]> contents = new ArrayList<>();

    /**
     * @param root a directory, where the files are made
     * @param prefix its path on the server
     */
    public MixedRequests(Path root, String prefix) throws IOException {
        this.root = root;
        this.prefix = prefix;
        for (int i = 0; i < FILES; i++) {
            byte[] bytes = new byte[1000 + i * 15_000];
            Arrays.fill(bytes, (byte) ('a' + i));
            Files.write(root.resolve(i + ".txt"), bytes);
            contents.add(bytes);
        }
    }

    /** Sends them, and returns when the last answer is checked. Nobody reads before all are connected, and have asked. */
    public void run(TestServer server, int readers, int breakers) throws Exception {
        long regions = server.transfers().getRegions();
        long bytes = server.transfers().getTransferredBytes();
        // However slow the machine is: the first to connect wait for the last.
        server.connector().setIdleTimeout(120_000);
        AtomicBoolean done = new AtomicBoolean();
        CountDownLatch asked = new CountDownLatch(readers + breakers);
        CountDownLatch mayRead = new CountDownLatch(1);
        Callable<Void> together = () -> {
            asked.countDown();
            assertTrue(mayRead.await(60, TimeUnit.SECONDS), "not all have asked");
            return null;
        };
        ExecutorService clients = Executors.newCachedThreadPool();
        try {
            List<Future<Void>> reading = new ArrayList<>();
            for (int i = 0; i < readers; i++) {
                reading.add(clients.submit(pipelining(server.port(), i, together)));
            }
            List<Future<Void>> breaking = new ArrayList<>();
            for (int i = 0; i < breakers; i++) {
                breaking.add(clients.submit(breaking(server.port(), i, done, together)));
            }
            assertTrue(asked.await(60, TimeUnit.SECONDS), () -> asked.getCount() + " have not asked");
            server.awaitEndPoints(readers + breakers);
            mayRead.countDown();
            for (Future<Void> reader : reading) {
                reader.get(60, TimeUnit.SECONDS);
            }
            done.set(true);
            for (Future<Void> breaker : breaking) {
                breaker.get(60, TimeUnit.SECONDS);
            }
        } finally {
            clients.shutdownNow();
        }
        assertTrue(
                server.transfers().getRegions() > regions && server.transfers().getTransferredBytes() > bytes,
                "by sendfile");
    }

    private Callable<Void> pipelining(int port, int seed, Callable<Void> together) {
        return () -> {
            Random random = new Random(seed);
            try (RawClient client = new RawClient(port)) {
                for (int round = 0; round < 3; round++) {
                    int[] wanted = random.ints(6, -1, contents.size()).toArray();
                    StringBuilder requests = new StringBuilder();
                    for (int index : wanted) {
                        requests.append("GET ")
                                .append(prefix)
                                .append('/')
                                .append(index)
                                .append(".txt HTTP/1.1\r\nHost: a\r\n\r\n");
                    }
                    client.send(requests.toString());
                    if (round == 0) {
                        together.call();
                    }
                    for (int index : wanted) {
                        Answer answer = client.answer();
                        assertEquals(index < 0 ? 404 : 200, answer.status());
                        if (index >= 0) {
                            assertArrayEquals(contents.get(index), answer.body());
                        }
                    }
                }
            }
            return null;
        };
    }

    /** Clients that go away in the middle, and files that become shorter in the middle. */
    private Callable<Void> breaking(int port, int seed, AtomicBoolean done, Callable<Void> together) {
        return () -> {
            String name = "broken" + seed + ".txt";
            for (int round = 0; round < 3 || (!done.get() && round < 50); round++) {
                try (RandomAccessFile file =
                                new RandomAccessFile(root.resolve(name).toFile(), "rw");
                        RawClient client = new RawClient(port, 8192)) {
                    file.setLength(10_000_000 + round);
                    client.get(prefix + "/" + name).get(prefix + "/0.txt");
                    if (round == 0) {
                        together.call();
                    }
                    assertEquals('H', client.in().read());
                    if (seed % 2 == 0) {
                        file.setLength(5);
                        String rest = new String(client.in().readNBytes(10_000_000), StandardCharsets.ISO_8859_1);
                        assertFalse(rest.contains("aaaaaaaa"), "an answer after one that was cut");
                    }
                } catch (SocketException reset) {
                    assertTrue(seed % 2 == 0, "only a cut answer is reset");
                }
            }
            return null;
        };
    }
}
