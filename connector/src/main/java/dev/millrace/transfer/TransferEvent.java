package dev.millrace.transfer;

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
 * The transfer of a region, from announcement to withdrawal, for the flight recorder. Off unless a recording asks for it, and then
 * from 20 ms on.
 */
final class TransferEvent {
    private static final TransferEvent NOT_RECORDED = new TransferEvent(null);

    /** Null when no recording was on at the begin. */
    private final @Nullable Recorded recorded;

    private TransferEvent(@Nullable Recorded recorded) {
        this.recorded = recorded;
    }

    @Name("dev.millrace.Transfer")
    @Label("Transfer")
    @Description("A part of a file sent by the kernel")
    @Category({"Millrace", "Transfer"})
    @Enabled(false)
    @Threshold("20 ms")
    @StackTrace(false)
    static final class Recorded extends Event {
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

        private static TransferEvent begun() {
            Recorded event = new Recorded();
            if (!event.isEnabled()) {
                return NOT_RECORDED;
            }
            event.begin();
            return new TransferEvent(event);
        }

        private void ended(FileRegion region, TransferAlgorithm by, int turnsTaken, @Nullable Throwable cause) {
            end();
            if (shouldCommit()) {
                file = region.file();
                position = region.position();
                bytes = region.sent();
                turns = turnsTaken;
                algorithm = by.toString();
                complete = region.remaining() == 0;
                failure = cause == null ? null : cause.toString();
                commit();
            }
        }
    }

    static TransferEvent begun() {
        return FlightRecorder.isPresent() ? Recorded.begun() : NOT_RECORDED;
    }

    void ended(FileRegion region, TransferAlgorithm algorithm, int turns, @Nullable Throwable cause) {
        if (recorded != null) {
            recorded.ended(region, algorithm, turns, cause);
        }
    }
}
