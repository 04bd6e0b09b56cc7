package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.AtOnce;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.RawClient;
import java.io.BufferedReader;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.condition.OS;

/** When the system has no more descriptors: connected clients are served, new ones wait, and no acceptor spins. */
@EnabledOnOs(OS.LINUX)
@Timeout(60)
class FewDescriptorsTest {
    private static final long LEAST_PAUSE_MILLIS = 500;
    private static final int CLIENTS = 20;
    /** As a line of Jetty's log begins. */
    private static final String LOG_TIME = "2025-01-31 23:59:59.999";

    private static Process start(String connector) throws Exception {
        return new ProcessBuilder(
                        "sh",
                        "-c",
                        "ulimit -n 256 && exec \"$@\"",
                        "sh",
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        // The JVM would warn on standard output.
                        "-Xlog:disable",
                        "-Xmx128m",
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Dorg.eclipse.jetty.LEVEL=WARN",
                        "-Ddev.millrace.LEVEL=WARN",
                        "-cp",
                        System.getProperty("java.class.path"),
                        FewDescriptors.class.getName(),
                        connector)
                .start();
    }

    /** When each line was logged that tells of a failed accept. */
    private static Stream<LocalDateTime> failures(BufferedReader log) {
        return log.lines()
                .filter(line -> line.toLowerCase(Locale.ROOT).contains("accept fail"))
                .map(line ->
                        LocalDateTime.parse(line.substring(0, LOG_TIME.length()).replace(' ', 'T')));
    }

    /** The same while a process runs: they may be read long after. */
    private static BlockingQueue<LocalDateTime> failures(Process process) {
        BlockingQueue<LocalDateTime> times = new LinkedBlockingQueue<>();
        Thread reader = new Thread(() -> failures(process.errorReader()).forEach(times::add), "errors");
        reader.setDaemon(true);
        reader.start();
        return times;
    }

    private static void end(Process process) {
        // Process.destroyForcibly() would close the streams that are still being read.
        process.toHandle().destroyForcibly();
    }

    // Classes are loaded, which takes descriptors, when they are first used.
    private static void warmUp(int port) throws Exception {
        for (int i = 0; i < 3; i++) {
            try (RawClient client = new RawClient(port)) {
                assertEquals("fine", client.get("/").answer().text());
                assertEquals("fine", client.get("/").answer().text());
            }
        }
    }

    // More than may be accepted nevertheless: an acceptor that waits in the system call has its descriptor already, and
    // the JVM may give one back.
    private static List<RawClient> connect(int port) throws Exception {
        List<RawClient> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            clients.add(new RawClient(port).get("/"));
        }
        return clients;
    }

    private static void assertServes(List<RawClient> clients) throws Exception {
        for (RawClient client : clients) {
            assertEquals("fine", client.answer().text());
            client.close();
        }
    }

    // Longer: it is several processes that start.
    @Test
    @Timeout(180)
    void waitsForDescriptors() throws Exception {
        AtOnce.on(Connectors.all(), FewDescriptorsTest::assertWaitsForDescriptors);
    }

    private static void assertWaitsForDescriptors(Connectors connectors) throws Exception {
        Process process = start(connectors.name());
        try (BufferedReader out = process.inputReader()) {
            BlockingQueue<LocalDateTime> failures = failures(process);
            int port = Integer.parseInt(out.readLine());
            warmUp(port);
            try (RawClient before = new RawClient(port)) {
                assertEquals("fine", before.get("/").answer().text());
                assertEquals("fine", before.get("/exhaust").answer().text());
                List<RawClient> clients = connect(port);
                LocalDateTime first = failures.poll(30, TimeUnit.SECONDS);
                LocalDateTime second = failures.poll(30, TimeUnit.SECONDS);
                assertNotNull(second, "accepting fails");
                long pauseMillis = ChronoUnit.MILLIS.between(first, second);
                assertTrue(pauseMillis >= LEAST_PAUSE_MILLIS, "tried again after " + pauseMillis + " ms");
                assertEquals("fine", before.get("/").answer().text());
                assertEquals("fine", before.get("/release").answer().text());
                assertServes(clients);
            }
            process.getOutputStream().close();
            assertTrue(process.waitFor(30, TimeUnit.SECONDS));
        } finally {
            end(process);
        }
    }

    /** The JDK would make the pollers of virtual threads only when one has to wait, and never try again when it fails. */
    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void waitsForWhoIsConnectedThoughItNeverHadTo() throws Exception {
        Process process = start(Connectors.BIO_VIRTUAL.name());
        try (BufferedReader out = process.inputReader();
                RawClient client = new RawClient(Integer.parseInt(out.readLine())).get("/exhaust")) {
            assertEquals("fine", client.answer().text());
            for (int i = 0; i < 3; i++) {
                assertEquals("fine", client.get("/").answer().text());
            }
            assertEquals("fine", client.get("/release").answer().text());
            process.getOutputStream().close();
            assertTrue(process.waitFor(30, TimeUnit.SECONDS));
            // Not before: nothing is still to be logged.
            assertEquals(List.of(), failures(process.errorReader()).toList());
        } finally {
            end(process);
        }
    }

    /**
     * Why {@link AcceptPause} is there. Jetty's selector spins. Or, if a descriptor is left for a connection, it closes that one when it
     * fails to accept the next, which then finds a descriptor. In the end it has dropped all that were waiting.
     */
    @Test
    void jettysSelectorTriesAgainAtOnce() throws Exception {
        Process process = start(FewDescriptors.STOCK_SELECTOR_ACCEPTS);
        try (BufferedReader out = process.inputReader()) {
            BlockingQueue<LocalDateTime> failures = failures(process);
            int port = Integer.parseInt(out.readLine());
            warmUp(port);
            try (RawClient before = new RawClient(port)) {
                assertEquals("fine", before.get("/exhaust").answer().text());
                List<RawClient> clients = connect(port);
                LocalDateTime first = failures.poll(30, TimeUnit.SECONDS);
                LocalDateTime last = first;
                for (int i = 0; i < CLIENTS / 2; i++) {
                    last = failures.poll(30, TimeUnit.SECONDS);
                    assertNotNull(last, "accepting fails again");
                }
                assertTrue(ChronoUnit.MILLIS.between(first, last) < CLIENTS / 2 * LEAST_PAUSE_MILLIS, "no pause");
                for (RawClient client : clients) {
                    client.close();
                }
            }
        } finally {
            end(process);
        }
    }
}
