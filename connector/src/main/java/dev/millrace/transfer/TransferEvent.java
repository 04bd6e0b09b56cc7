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

/** The transfer of a region, from announcement to withdrawal. Off unless a recording asks for it, and then from 20 ms on. */
@Name("dev.millrace.Transfer")
@Label("Transfer")
@Description("A part of a file sent by the kernel")
@Category({"Millrace", "Transfer"})
@Enabled(false)
@Threshold("20 ms")
@StackTrace(false)
final class TransferEvent extends Event {
    @Label("File")
    String file;

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
    String algorithm;

    @Label("Complete")
    boolean complete;

    @Label("Failure")
    @Description("Why it is not complete, when the file or the socket failed")
    String failure;

    static TransferEvent begun() {
        TransferEvent event = new TransferEvent();
        event.begin();
        return event;
    }

    void ended(FileRegion region, TransferAlgorithm by, int turnsTaken, Throwable cause) {
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
