package dev.millrace.files;

import dev.millrace.transfer.FlightRecorder;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** An answer whose file did not go by the kernel, and why, for the flight recorder. Off unless a recording asks for it. */
final class CopyEvent {
    private CopyEvent() {}

    @Name("dev.millrace.Copy")
    @Label("Copy")
    @Description("A part of a file that was not sent by the kernel, and why")
    @Category({"Millrace", "Transfer"})
    @Enabled(false)
    @StackTrace(false)
    static final class Recorded extends Event {
        @Label("File")
        @Nullable String file;

        @Label("Position")
        @Description("Where the part begins in the file")
        @DataAmount
        long position;

        @Label("Bytes")
        @DataAmount
        long bytes;

        @Label("Obstacle")
        @Nullable String obstacle;

        private static void commit(Object file, long position, long bytes, Obstacle obstacle) {
            Recorded event = new Recorded();
            if (event.shouldCommit()) {
                event.file = file.toString();
                event.position = position;
                event.bytes = bytes;
                event.obstacle = obstacle.name();
                event.commit();
            }
        }
    }

    static void commit(Object file, long position, long bytes, Obstacle obstacle) {
        if (FlightRecorder.isPresent()) {
            Recorded.commit(file, position, bytes, obstacle);
        }
    }
}
