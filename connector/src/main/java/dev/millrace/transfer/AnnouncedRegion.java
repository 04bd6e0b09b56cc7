package dev.millrace.transfer;

import java.io.IOException;
import java.nio.ByteBuffer;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;
import org.jspecify.annotations.Nullable;

/**
 * A file region between its announcement and its withdrawal: counts its turns, and tells the flight recorder how it
 * ended. One thread at a time.
 */
public final class AnnouncedRegion {
    private final FileRegion region;
    private final TransferAlgorithm algorithm;
    private final TransferStatistics statistics;
    /** Null when no recording was on at the begin. */
    private final @Nullable TransferEvent event = FlightRecorder.IS_PRESENT ? TransferEvent.begun() : null;

    private int turns;
    private @Nullable Throwable failure;

    /** The transfer, from announcement to withdrawal. Off unless a recording asks for it, and then from 20 ms on. */
    @Name("dev.millrace.Transfer")
    @Label("Transfer")
    @Description("A part of a file sent by the kernel")
    @Category({"Millrace", "Transfer"})
    @Enabled(false)
    @Threshold("20 ms")
    @StackTrace(false)
    static final class TransferEvent extends Event {
        @Label("File")
        @Nullable String file;

        @Label("Position")
        @Description("Where the region begins in the file")
        @DataAmount
        long position;

        @Label("Bytes")
        @DataAmount
        long bytes;

        @Label("Turns")
        int turns;

        @Label("Algorithm")
        @Nullable String algorithm;

        @Label("Complete")
        boolean complete;

        @Label("Failure")
        @Description("Why it is not complete, when the file or the socket failed")
        @Nullable String failure;

        private static @Nullable TransferEvent begun() {
            TransferEvent event = new TransferEvent();
            if (!event.isEnabled()) {
                return null;
            }
            event.begin();
            return event;
        }

        private void ended(AnnouncedRegion announced) {
            end();
            if (shouldCommit()) {
                file = announced.region.file();
                position = announced.region.position();
                bytes = announced.region.sent();
                turns = announced.turns;
                algorithm = announced.algorithm.toString();
                complete = announced.region.remaining() == 0;
                failure = complete || announced.failure == null ? null : announced.failure.toString();
                commit();
            }
        }
    }

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
        if (event != null) {
            event.ended(this);
        }
    }

    @Override
    public String toString() {
        return "AnnouncedRegion[" + region + "," + algorithm + ",turns=" + turns + "]";
    }
}
