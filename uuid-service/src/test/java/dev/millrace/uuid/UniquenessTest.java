package dev.millrace.uuid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.uuid.UUIDClock;
import com.fasterxml.uuid.UUIDComparator;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(120)
class UniquenessTest {
    private static final int THREADS = 8;
    private static final int UUIDS_PER_THREAD = 25_000;
    private static final int ANSWERS_PER_THREAD = 250;

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NAME")
    void acrossThreads(UuidMethod method) throws Exception {
        UuidService service = new UuidService(100);
        CyclicBarrier start = new CyclicBarrier(THREADS);
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            Callable<List<UUID>> task = () -> {
                start.await(20, TimeUnit.SECONDS);
                return generate(service, method, UUIDS_PER_THREAD);
            };
            List<Future<List<UUID>>> results = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                results.add(threads.submit(task));
            }
            Set<UUID> all = new HashSet<>();
            for (Future<List<UUID>> result : results) {
                all.addAll(result.get());
            }
            assertEquals(THREADS * UUIDS_PER_THREAD, all.size());
        } finally {
            threads.shutdownNow();
        }
    }

    /** The clock ticks continuously, so that the readings of many threads fall into different milliseconds. */
    @ParameterizedTest
    @EnumSource(names = {"TIME", "REORDERED", "EPOCH"})
    void inOrderWithinEachAnswerWhileOthersAreMade(UuidMethod method) throws Exception {
        UuidService service = new UuidService(100, new TickingClock(), new SecureRandom());
        CyclicBarrier start = new CyclicBarrier(THREADS);
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Future<?>> results = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                results.add(threads.submit(() -> {
                    start.await(20, TimeUnit.SECONDS);
                    for (int answer = 0; answer < ANSWERS_PER_THREAD; answer++) {
                        assertInOrder(generate(service, method, 100));
                    }
                    return null;
                }));
            }
            for (Future<?> result : results) {
                result.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void namesAcrossThreadsAreWhatTheyAreInOne() throws Exception {
        UuidService service = new UuidService(100);
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Future<Set<UUID>>> results = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                results.add(threads.submit(() -> {
                    Set<UUID> uuids = new HashSet<>();
                    for (int name = 0; name < 2_000; name++) {
                        uuids.addAll(generateNamed(service, "name " + name));
                    }
                    return uuids;
                }));
            }
            Set<UUID> expected = results.get(0).get();
            assertEquals(2_000, expected.size());
            for (Future<Set<UUID>> result : results) {
                assertEquals(expected, result.get());
            }
        } finally {
            threads.shutdownNow();
        }
    }

    /** Two processes run at the same time, as two servers on one host do. */
    @Test
    void acrossTwoProcesses() throws Exception {
        List<Process> processes = List.of(startPrinter(), startPrinter());
        try {
            // Neither process starts before both are ready, so that they print during the same milliseconds.
            for (Process process : processes) {
                assertEquals('r', process.getInputStream().read());
            }
            for (Process process : processes) {
                process.getOutputStream().write('g');
                process.getOutputStream().flush();
            }
            Set<UUID> all = new HashSet<>();
            Set<Long> nodes = new HashSet<>();
            for (Process process : processes) {
                for (UUID uuid : readUuids(process)) {
                    all.add(uuid);
                    if (uuid.version() == 1) {
                        nodes.add(uuid.node());
                    }
                }
                assertTrue(process.waitFor(20, TimeUnit.SECONDS));
                assertEquals(0, process.exitValue());
            }
            assertEquals(2 * UuidPrinter.UUIDS, all.size());
            assertEquals(2, nodes.size(), "each process has a node of its own");
        } finally {
            processes.forEach(Process::destroyForcibly);
        }
    }

    private static Process startPrinter() throws Exception {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        // The JVM would warn on standard output.
        return new ProcessBuilder(
                        java,
                        "-Xlog:disable",
                        "-cp",
                        System.getProperty("java.class.path"),
                        UuidPrinter.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private static List<UUID> readUuids(Process process) throws Exception {
        BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII));
        List<UUID> uuids = new ArrayList<>();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (!line.isEmpty()) {
                uuids.add(UUID.fromString(line));
            }
        }
        return uuids;
    }

    /** Two services whose clocks show the same time differ by node and clock sequence only. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NAME")
    void withTheSameTime(UuidMethod method) throws Exception {
        Set<UUID> all = new HashSet<>();
        for (int i = 0; i < 2; i++) {
            all.addAll(generate(new UuidService(100, new TickingClock(), new SecureRandom()), method, 20_000));
        }
        assertEquals(40_000, all.size());
    }

    @ParameterizedTest
    @EnumSource(names = {"TIME", "REORDERED", "EPOCH"})
    void whenTheClockStepsBack(UuidMethod method) throws Exception {
        TickingClock clock = new TickingClock();
        UuidService service = new UuidService(100, clock, new SecureRandom());
        List<UUID> uuids = new ArrayList<>(generate(service, method, 20_000));
        for (int i = 0; i < 3; i++) {
            clock.step(-TimeUnit.HOURS.toMillis(1));
            uuids.addAll(generate(service, method, 20_000));
        }
        assertEquals(80_000, new HashSet<>(uuids).size());
        assertInOrder(uuids);
    }

    @ParameterizedTest
    @EnumSource(names = {"TIME", "REORDERED", "EPOCH"})
    void whenTheClockStandsStill(UuidMethod method) throws Exception {
        UUIDClock stopped = new UUIDClock() {
            @Override
            public long currentTimeMillis() {
                return 1_800_000_000_000L;
            }
        };
        List<UUID> uuids = generate(new UuidService(100, stopped, new SecureRandom()), method, 25_000);
        assertEquals(25_000, new HashSet<>(uuids).size());
        assertInOrder(uuids);
    }

    /** UUIDComparator compares the time of versions 1 and 6 first, as unsigned numbers. */
    private static void assertInOrder(List<UUID> uuids) {
        for (int i = 1; i < uuids.size(); i++) {
            assertTrue(
                    UUIDComparator.staticCompare(uuids.get(i - 1), uuids.get(i)) < 0,
                    uuids.get(i - 1) + " is not before " + uuids.get(i));
        }
    }

    private static List<UUID> generate(UuidService service, UuidMethod method, int count) throws RefusedException {
        List<UUID> uuids = new ArrayList<>(count);
        while (uuids.size() < count) {
            UuidRequest uuidRequest = service.newRequest();
            uuidRequest.add(Batch.parse(method.name(), "100", null, null, null));
            uuids.addAll(service.generate(uuidRequest));
        }
        return uuids;
    }

    private static List<UUID> generateNamed(UuidService service, String name) throws RefusedException {
        UuidRequest uuidRequest = service.newRequest();
        uuidRequest.add(Batch.parse("name", "1", name, "url", null));
        return service.generate(uuidRequest);
    }

    /** A clock that advances by a millisecond after a few readings, and goes back on request. */
    private static final class TickingClock extends UUIDClock {
        private static final int READS_PER_MILLI = 7;

        private final AtomicLong reads = new AtomicLong();
        private final AtomicLong baseMillis = new AtomicLong(1_800_000_000_000L);

        @Override
        public long currentTimeMillis() {
            return baseMillis.get() + reads.incrementAndGet() / READS_PER_MILLI;
        }

        void step(long millis) {
            baseMillis.addAndGet(millis);
        }
    }
}
