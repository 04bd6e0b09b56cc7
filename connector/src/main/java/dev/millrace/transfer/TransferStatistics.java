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

    @ManagedOperation(value = "Sets all counters to zero", impact = "ACTION")
    public void reset() {
        regions.reset();
        transferCalls.reset();
        transferredBytes.reset();
        copiedBytes.reset();
        truncations.reset();
    }

    /** Counts a region that was announced. */
    public void onAnnounce() {
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

    @Override
    public String toString() {
        return "TransferStatistics[transferred=" + getTransferredBytes() + ",copied=" + getCopiedBytes() + "]";
    }
}
