package dev.millrace.files;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** An answer whose file did not go by the kernel, and why. Off unless a recording asks for it. */
@Name("dev.millrace.Copy")
@Label("Copy")
@Description("A part of a file that was not sent by the kernel, and why")
@Category({"Millrace", "Transfer"})
@Enabled(false)
@StackTrace(false)
final class CopyEvent extends Event {
    @Label("File")
    String file;

    @Label("Position")
    @Description("Where the part begins in the file")
    @DataAmount
    long position;

    @Label("Bytes")
    @DataAmount
    long bytes;

    @Label("Obstacle")
    String obstacle;

    static void commit(Object file, long position, long bytes, Obstacle obstacle) {
        CopyEvent event = new CopyEvent();
        if (event.shouldCommit()) {
            event.file = file.toString();
            event.position = position;
            event.bytes = bytes;
            event.obstacle = obstacle.name();
            event.commit();
        }
    }
}
