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

/**
 * A write that had to wait for its peer, for the flight recorder. Off unless a recording asks for it, and then from 20 ms on. Loaded
 * only where there is a {@link FlightRecorder}.
 */
@Name("dev.millrace.BlockedWrite")
@Label("Blocked write")
@Description("A write that waited for its peer")
@Category({"Millrace", "Connector"})
@Enabled(false)
@Threshold("20 ms")
@StackTrace(false)
final class BlockedWriteEvent extends Event {
    @Label("Remote address")
    @Nullable String remote;

    /** @return null when nobody records */
    static @Nullable BlockedWriteEvent begun() {
        BlockedWriteEvent event = new BlockedWriteEvent();
        if (!event.isEnabled()) {
            return null;
        }
        event.begin();
        return event;
    }

    void ended(EndPoint endPoint) {
        end();
        if (shouldCommit()) {
            remote = String.valueOf(endPoint.getRemoteSocketAddress());
            commit();
        }
    }
}
