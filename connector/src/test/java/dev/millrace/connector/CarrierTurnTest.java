package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.jetty.util.NanoTime;
import org.eclipse.jetty.util.VirtualThreads;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Before which reads a virtual thread yields: with one carrier, another thread has run then. */
@Timeout(150)
class CarrierTurnTest {
    /** Reads, each with what it finds: f the bytes that are there already, w none, so that it waits. */
    static final class Reads {
        public static void main(String[] arguments) throws Exception {
            Executor threads = VirtualThreads.getDefaultVirtualThreadsExecutor();
            CompletableFuture<String> yields = new CompletableFuture<>();
            threads.execute(() -> yields.complete(yieldsBefore(arguments[0], threads)));
            System.out.println(yields.get(60, TimeUnit.SECONDS));
        }

        private static String yieldsBefore(String reads, Executor threads) {
            CarrierTurn turn = new CarrierTurn();
            StringBuilder yields = new StringBuilder();
            for (int i = 0; i < reads.length(); i++) {
                AtomicBoolean hasRun = new AtomicBoolean();
                threads.execute(() -> hasRun.set(true));
                turn.beginRead();
                yields.append(hasRun.get() ? 'y' : '-');
                while (!hasRun.get()) {
                    Thread.yield();
                }
                // Far from the limits: the machine may hold this thread up.
                turn.onReadSince(NanoTime.now() + (reads.charAt(i) == 'f' ? 1 : -1) * TimeUnit.SECONDS.toNanos(10));
            }
            return yields.toString();
        }
    }

    private static void assertYields(String expected, String reads) throws Exception {
        assumeTrue(VirtualThreads.areSupported(), "no virtual threads");
        Process process = OneCarrierTest.start(Reads.class, reads);
        try (BufferedReader out = process.inputReader()) {
            assertEquals(expected, out.readLine());
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void afterReadsInVainItYieldsLessAndLess() throws Exception {
        assertYields(
                "y-y---y-------y" + "-".repeat(15) + "y" + "-".repeat(31) + "y" + "-".repeat(63) + "y" + "-".repeat(64)
                        + "y" + "-".repeat(64) + "y",
                "w".repeat(257));
    }

    @Test
    void whereTheBytesAreThereItYieldsEachTime() throws Exception {
        assertYields("yyyyyyyyyy", "ffffffffff");
    }

    @Test
    void aReadThatFindsBytesHasTheNextOneYield() throws Exception {
        assertYields("y-y--yy-y", "wwwwffwww");
    }
}
