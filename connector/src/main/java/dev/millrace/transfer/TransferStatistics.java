package dev.millrace.transfer;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.eclipse.jetty.util.annotation.ManagedAttribute;
import org.eclipse.jetty.util.annotation.ManagedObject;
import org.eclipse.jetty.util.annotation.ManagedOperation;

/**
 * Counts what a connector sent, by the way it went. All counters are since start or the last {@link #reset}; all
 * methods are thread-safe, and cheap enough for every write.
 */
@ManagedObject("Bytes by the way they were sent")
public final class TransferStatistics {
    private final LongAdder regions = new LongAdder();
    private final LongAdder transferCalls = new LongAdder();
    private final LongAdder transferredBytes = new LongAdder();
    private final LongAdder regionCopiedBytes = new LongAdder();
    private final LongAdder writtenBytes = new LongAdder();
    private final LongAdder truncations = new LongAdder();
    private final LongAdder turns = new LongAdder();
    private final LongAdder selectorTurns = new LongAdder();
    private final LongAdder completed = new LongAdder();
    private final LongAdder aborted = new LongAdder();
    /** Regions that were not at their end at the last reset. */
    private final AtomicLong runningAtReset = new AtomicLong();

    @ManagedAttribute("File regions announced")
    public long getRegions() {
        return regions.sum();
    }

    @ManagedAttribute("Calls of transferTo that sent something")
    public long getTransferCalls() {
        return transferCalls.sum();
    }

    @ManagedAttribute("Bytes of file regions sent by the kernel (sendfile)")
    public long getTransferredBytes() {
        return transferredBytes.sum();
    }

    @ManagedAttribute("Bytes sent from memory: headers, content and copied files")
    public long getCopiedBytes() {
        return getRegionCopiedBytes() + writtenBytes.sum();
    }

    @ManagedAttribute("Bytes of file regions that were copied for a full socket, so that a virtual thread could park")
    public long getRegionCopiedBytes() {
        return regionCopiedBytes.sum();
    }

    @ManagedAttribute("Responses aborted because their file became shorter")
    public long getTruncations() {
        return truncations.sum();
    }

    @ManagedAttribute("Turns that transfers took")
    public long getTurns() {
        return turns.sum();
    }

    @ManagedAttribute("Turns that selectors' own threads took, because the bytes were in memory")
    public long getSelectorTurns() {
        return selectorTurns.sum();
    }

    @ManagedAttribute("File regions sent to their end")
    public long getCompleted() {
        return completed.sum();
    }

    @ManagedAttribute("File regions given up before their end")
    public long getAborted() {
        return aborted.sum();
    }

    @ManagedAttribute("File regions that are not at their end")
    public long getRunning() {
        // Ends first: one between two reads must not make it negative.
        long ended = getCompleted() + getAborted();
        return Math.max(0, runningAtReset.get() + getRegions() - ended);
    }

    @ManagedOperation(value = "Sets all counters to zero, but for what runs", impact = "ACTION")
    public void reset() {
        runningAtReset.addAndGet(regions.sumThenReset() - completed.sumThenReset() - aborted.sumThenReset());
        transferCalls.reset();
        transferredBytes.reset();
        regionCopiedBytes.reset();
        writtenBytes.reset();
        truncations.reset();
        turns.reset();
        selectorTurns.reset();
    }

    void onAnnounce() {
        regions.increment();
    }

    /** @param bytes what one call of transferTo sent */
    void onTransferred(long bytes) {
        transferCalls.increment();
        transferredBytes.add(bytes);
    }

    /** @param bytes of a region that were copied and written */
    public void onRegionCopied(long bytes) {
        regionCopiedBytes.add(bytes);
    }

    /** @param bytes what one call sent from memory */
    public void onWritten(long bytes) {
        writtenBytes.add(bytes);
    }

    /** Counts a turn of a selector's own thread, which is counted as a turn besides. */
    void onSelectorTurn() {
        selectorTurns.increment();
    }

    /** Counts a response that was aborted because its file became shorter. */
    public void onTruncated() {
        truncations.increment();
    }

    void onTurn() {
        turns.increment();
    }

    void onEnd(boolean complete) {
        (complete ? completed : aborted).increment();
    }

    @Override
    public String toString() {
        return "TransferStatistics[regions=" + getRegions() + ",turns=" + getTurns() + ",transferred="
                + getTransferredBytes() + ",copied=" + getCopiedBytes() + "]";
    }
}
