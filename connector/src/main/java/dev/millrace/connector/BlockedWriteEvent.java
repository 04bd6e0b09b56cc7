package dev.millrace.connector;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;
import org.eclipse.jetty.io.EndPoint;

/** A write that had to wait for its peer. Off unless a recording asks for it, and then from 20 ms on. */
@Name("dev.millrace.BlockedWrite")
@Label("Blocked write")
@Description("A write that waited for its peer")
@Category({"Millrace", "Connector"})
@Enabled(false)
@Threshold("20 ms")
@StackTrace(false)
final class BlockedWriteEvent extends Event {
    @Label("Remote address")
    String remote;

    static BlockedWriteEvent begun() {
        BlockedWriteEvent event = new BlockedWriteEvent();
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
