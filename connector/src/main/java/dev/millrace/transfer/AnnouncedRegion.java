package dev.millrace.transfer;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A file region between its announcement and its withdrawal: counts its turns, and tells the flight recorder how it
 * ended. One thread at a time.
 */
public final class AnnouncedRegion {
    private final FileRegion region;
    private final TransferAlgorithm algorithm;
    private final TransferStatistics statistics;
    private final TransferEvent event = TransferEvent.begun();
    private int turns;
    private @Nullable Throwable failure;

    /**
     * @param region what to send; borrowed until its withdrawal
     * @param algorithm the connector's; the region's own goes before
     * @param statistics counts
     */
    public AnnouncedRegion(FileRegion region, TransferAlgorithm algorithm, TransferStatistics statistics) {
        this.region = region;
        this.algorithm = region.algorithm() == null ? algorithm : region.algorithm();
        this.statistics = statistics;
        statistics.onAnnounce();
    }

    /** @return what is sent */
    public FileRegion region() {
        return region;
    }

    /** @return how the region is sent */
    public TransferAlgorithm algorithm() {
        return algorithm;
    }

    /**
     * @return the bytes after which the transfer lets others have their turn where its connection has a thread of its own;
     *     0: it never does
     */
    public int ownThreadTurnBytes() {
        return algorithm.ownThreadTurnBytes();
    }

    /**
     * Whether the thread that writes the response is to write the region's token with the header before it, by one call. What
     * the socket does not take is sent like any other region.
     *
     * @param buffers the buffers of one write
     * @param token the token's index among them
     * @throws IOException see {@link FileRegion#goesWith}
     */
    public boolean goesWith(ByteBuffer[] buffers, int token) throws IOException {
        try {
            return region.goesWith(buffers, token);
        } catch (IOException x) {
            failed(x);
            throw x;
        }
    }

    /** @param bytes what one call of {@link FileRegion#transferTo} has sent */
    public void onTransferred(int bytes) {
        statistics.onTransferred(bytes);
    }

    /** Counts a turn of a selector's own thread, which is counted by {@link #onTurn} besides. */
    public void onSelectorTurn() {
        statistics.onSelectorTurn();
    }

    /** Counts a turn. */
    public void onTurn() {
        turns++;
        statistics.onTurn();
    }

    /** @param cause why the file or the socket failed */
    public void failed(IOException cause) {
        failure = cause;
    }

    /** Counts the end of the transfer, once: the region was withdrawn. */
    public void end() {
        boolean complete = region.remaining() == 0;
        statistics.onEnd(complete);
        event.ended(region, algorithm, turns, complete ? null : failure);
    }

    @Override
    public String toString() {
        return "AnnouncedRegion[" + region + "," + algorithm + ",turns=" + turns + "]";
    }
}
