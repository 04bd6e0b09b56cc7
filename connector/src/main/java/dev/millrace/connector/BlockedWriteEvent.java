package dev.millrace.connector;

import dev.millrace.transfer.FlightRecorder;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;
import org.eclipse.jetty.io.EndPoint;
import org.jspecify.annotations.Nullable;

/** A write that had to wait for its peer, for the flight recorder. Off unless a recording asks for it, and then from 20 ms on. */
final class BlockedWriteEvent {
    private static final BlockedWriteEvent NOT_RECORDED = new BlockedWriteEvent(null);

    /** Null: nobody recorded when it began. */
    private final @Nullable Recorded recorded;

    private BlockedWriteEvent(@Nullable Recorded recorded) {
        this.recorded = recorded;
    }

    @Name("dev.millrace.BlockedWrite")
    @Label("Blocked write")
    @Description("A write that waited for its peer")
    @Category({"Millrace", "Connector"})
    @Enabled(false)
    @Threshold("20 ms")
    @StackTrace(false)
    static final class Recorded extends Event {
        @Label("Remote address")
        @Nullable String remote;

        private static BlockedWriteEvent begun() {
            Recorded event = new Recorded();
            if (!event.isEnabled()) {
                return NOT_RECORDED;
            }
            event.begin();
            return new BlockedWriteEvent(event);
        }

        private void ended(EndPoint endPoint) {
            end();
            if (shouldCommit()) {
                remote = String.valueOf(endPoint.getRemoteSocketAddress());
                commit();
            }
        }
    }

    static BlockedWriteEvent begun() {
        return FlightRecorder.isPresent() ? Recorded.begun() : NOT_RECORDED;
    }

    void ended(EndPoint endPoint) {
        if (recorded != null) {
            recorded.ended(endPoint);
        }
    }
}
