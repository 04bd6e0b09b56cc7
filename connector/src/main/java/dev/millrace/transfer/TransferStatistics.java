package dev.millrace.transfer;

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
    private final LongAdder copiedBytes = new LongAdder();
    private final LongAdder truncations = new LongAdder();
    private final LongAdder turns = new LongAdder();
    private final LongAdder completed = new LongAdder();
    private final LongAdder aborted = new LongAdder();

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
        return copiedBytes.sum();
    }

    @ManagedAttribute("Responses aborted because their file became shorter")
    public long getTruncations() {
        return truncations.sum();
    }

    @ManagedAttribute("Turns that transfers took")
    public long getTurns() {
        return turns.sum();
    }

    @ManagedAttribute("File regions sent to their end")
    public long getCompleted() {
        return completed.sum();
    }

    @ManagedAttribute("File regions given up before their end")
    public long getAborted() {
        return aborted.sum();
    }

    @ManagedOperation(value = "Sets all counters to zero", impact = "ACTION")
    public void reset() {
        regions.reset();
        transferCalls.reset();
        transferredBytes.reset();
        copiedBytes.reset();
        truncations.reset();
        turns.reset();
        completed.reset();
        aborted.reset();
    }

    /** Counts a region that was announced. */
    void onAnnounce() {
        regions.increment();
    }

    /** @param bytes what one call of transferTo sent */
    public void onTransferred(long bytes) {
        transferCalls.increment();
        transferredBytes.add(bytes);
    }

    /** @param bytes what one write from memory sent */
    public void onCopied(long bytes) {
        copiedBytes.add(bytes);
    }

    /** Counts a response that was aborted because its file became shorter. */
    public void onTruncated() {
        truncations.increment();
    }

    /** Counts a turn of a transfer. */
    void onTurn() {
        turns.increment();
    }

    /** Counts the end of a transfer. */
    void onEnd(boolean complete) {
        (complete ? completed : aborted).increment();
    }

    @Override
    public String toString() {
        return "TransferStatistics[regions=" + getRegions() + ",turns=" + getTurns() + ",transferred="
                + getTransferredBytes() + ",copied=" + getCopiedBytes() + "]";
    }
}
