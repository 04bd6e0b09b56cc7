package dev.millrace.load.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Makes the calling thread wake up on time. Linux delays timers by up to 50 microseconds to save wake-ups. A client of
 * the open model would count that as latency of the server. Stateless.
 */
public final class TimerSlack {

    private TimerSlack() {}

    /** Sets the timer slack of the calling platform thread to the minimum. Returns false where that is impossible. */
    public static boolean tighten() {
        try {
            // The link points to <pid>/task/<tid>, but the file exists only below /proc/<tid> (proc(5)).
            Path thread = Files.readSymbolicLink(Path.of("/proc/thread-self")).getFileName();
            Files.writeString(Path.of("/proc").resolve(thread).resolve("timerslack_ns"), "1");
            return true;
        } catch (IOException ignored) {
            // Not Linux, or no permission: the thread wakes up later, and the recorded lateness shows it.
            return false;
        }
    }
}
