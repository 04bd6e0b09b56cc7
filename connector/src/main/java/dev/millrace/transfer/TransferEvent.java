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
 * The transfer of a region, from announcement to withdrawal, for the flight recorder. Off unless a recording asks for it, and then from
 * 20 ms on. Loaded only where there is a {@link FlightRecorder}.
 */
@Name("dev.millrace.Transfer")
@Label("Transfer")
@Description("A part of a file sent by the kernel")
@Category({"Millrace", "Transfer"})
@Enabled(false)
@Threshold("20 ms")
@StackTrace(false)
final class TransferEvent extends Event {
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

    static TransferEvent begun() {
        TransferEvent event = new TransferEvent();
        event.begin();
        return event;
    }
}
