package dev.millrace.connector;

import dev.millrace.transfer.FileRegion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.eclipse.jetty.util.NanoTime;
import org.eclipse.jetty.util.VirtualThreads;

/**
 * When a virtual thread leaves its carrier to others. A thread does so before it waits for the peer, where that has paid, and after it
 * has read or written for long. The JDK takes no carrier from a thread that does not wait. A peer that sends without a pause, or takes
 * all at once, never lets its thread wait. See decision 0086. A call that is likely to wait for the disk is left to another thread. One
 * thread may read while another writes: then a turn may be shorter, or longer, which does no harm.
 */
final class CarrierTurn {
    private static final int TURN_MILLIS = 10;
    /** A call that takes so long has waited for the peer or the disk, or the system has interrupted it. A shorter wait may count as none. */
    private static final int WAIT_NANOS = 1_000_000;
    /** A read that takes no longer has found its bytes there: to park takes more. */
    private static final int FOUND_NANOS = 10_000;

    private static final int MAX_YIELDS_TO_SKIP = 64;
    /** The system reads ahead: between two calls that wait for the disk, many do not. */
    private static final byte CALLS_ELSEWHERE = 64;

    private static final int NEXT_BYTES = 1024 * 1024;

    // These belong to the thread that waits for the peer's bytes. Bytes, because every idle connection keeps them.
    private byte yieldsToSkip;
    private byte yieldsSkipped;
    private boolean hasYielded;
    // These belong to the thread that writes, and to the one that it waits for.
    private byte callsElsewhere;
    private boolean hasTakenLong;

    private int beginMillis = millis(NanoTime.now());

    /** Called when bytes were written, or some were read that were there already. */
    void onProgress() {
        endIfOver(NanoTime.now());
    }

    /**
     * Called before a thread waits for the peer's bytes. It lets other threads run first: a busy peer's next request is often there
     * then, which saves parking. Where it was not, the next 1, then 3, 7 and so on, at most 64 reads begin at once. See decision 0096.
     *
     * @return the time, for {@link #onReadSince}
     */
    long beginRead() {
        hasYielded = yieldsSkipped >= yieldsToSkip;
        if (hasYielded) {
            Thread.yield();
        } else {
            yieldsSkipped++;
        }
        return NanoTime.now();
    }

    /**
     * Called when bytes were read that were there already, or came while the thread waited.
     *
     * @param begin when the read was called: see {@link #beginRead}
     */
    void onReadSince(long begin) {
        long now = NanoTime.now();
        if (now - begin <= FOUND_NANOS) {
            // Also without a yield before: a peer that sends on and on is to leave the carrier to others each time.
            yieldsToSkip = 0;
        } else if (hasYielded) {
            yieldsToSkip = (byte) Math.min(MAX_YIELDS_TO_SKIP, yieldsToSkip * 2 + 1);
            yieldsSkipped = 0;
        }
        if (now - begin >= WAIT_NANOS) {
            beginMillis = millis(now);
        } else {
            endIfOver(now);
        }
    }

    /**
     * Called before a file is sent, and behind a call that took long: the system may have interrupted that one. If the next bytes are not
     * in memory, calls are likely to wait for the disk. A virtual thread keeps its carrier meanwhile. So another thread is to make them
     * ({@link ConnectionThreads#callOnPlatformThread}). See decision 0097.
     */
    void lookAt(FileRegion region) {
        if (!region.isLoaded(hasTakenLong ? NEXT_BYTES : 1)) {
            callsElsewhere = CALLS_ELSEWHERE;
        }
        hasTakenLong = false;
    }

    boolean hasTakenLong() {
        return hasTakenLong;
    }

    boolean mayAwaitDisk() {
        return callsElsewhere > 0;
    }

    /**
     * Called when bytes of a file were sent or read.
     *
     * @param begin when the call began, by {@link NanoTime#now}
     */
    void onFileUsedSince(long begin) {
        hasTakenLong = NanoTime.since(begin) >= WAIT_NANOS;
        if (callsElsewhere > 0) {
            callsElsewhere--;
        }
    }

    /** Makes a call that may wait for the disk ({@link #mayAwaitDisk}): see {@link ConnectionThreads#callOnPlatformThread}. */
    int callElsewhere(ConnectionThreads threads, ConnectionThreads.FileCall call) throws IOException {
        return threads.callOnPlatformThread(() -> {
            long begin = NanoTime.now();
            int bytes = call.call();
            onFileUsedSince(begin);
            return bytes;
        });
    }

    /** As {@link FileRegion#read}, by another thread if it may wait for the disk. */
    int read(ConnectionThreads threads, FileRegion region, ByteBuffer target) throws IOException {
        if (mayAwaitDisk()) {
            return callElsewhere(threads, () -> region.read(target));
        }
        long begin = NanoTime.now();
        int read = region.read(target);
        onFileUsedSince(begin);
        return read;
    }

    private void endIfOver(long now) {
        int millis = millis(now);
        if (millis - beginMillis >= TURN_MILLIS) {
            beginMillis = millis;
            // A thread of a pool, which answers asynchronously, has no carrier.
            if (VirtualThreads.isVirtualThread()) {
                // With an interrupt no park gives the carrier away, nor does the first one behind it, for an interrupt
                // leaves a permit.
                boolean interrupted = Thread.interrupted();
                if (interrupted) {
                    LockSupport.parkNanos(1);
                }
                // To yield would not do: new connections may still get no carrier.
                LockSupport.parkNanos(1);
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
            }
        }
    }

    private static int millis(long nanos) {
        return (int) TimeUnit.NANOSECONDS.toMillis(nanos);
    }
}
