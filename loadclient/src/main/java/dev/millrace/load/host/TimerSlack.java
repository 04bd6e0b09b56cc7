package dev.millrace.load.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Makes the calling thread wake up on time. Linux lets a timer run out up to 50 microseconds late to save wake-ups; a
 * client that sends by the clock would count that as latency of the server.
 */
public final class TimerSlack {

    private TimerSlack() {
    }

    /** Sets the calling platform thread's slack to the least; returns false where that cannot be done. */
    public static boolean tighten() {
        try {
            // Points to <pid>/task/<tid>; the file itself exists only below /proc/<tid> (proc(5)).
            Path thread = Files.readSymbolicLink(Path.of("/proc/thread-self")).getFileName();
            Files.writeString(Path.of("/proc").resolve(thread).resolve("timerslack_ns"), "1");
            return true;
        } catch (IOException ignored) {
            // Not Linux, or not allowed: waking up is less exact, and the recorded lateness shows it.
            return false;
        }
    }
}
