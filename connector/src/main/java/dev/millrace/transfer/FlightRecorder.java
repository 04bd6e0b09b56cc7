package dev.millrace.transfer;

import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether this runtime has the JDK's flight recorder. The module {@code jdk.jfr} may be left out of an image, and a
 * module path has it only when another module requires it. A class that extends {@code jdk.jfr.Event} cannot be loaded
 * then. Thread-safe.
 */
public final class FlightRecorder {
    private static final Logger LOG = LoggerFactory.getLogger(FlightRecorder.class);
    /** Whether events can be made. */
    public static final boolean IS_PRESENT = isLoadable();

    private static final AtomicBoolean WARNED = new AtomicBoolean();

    private FlightRecorder() {}

    private static boolean isLoadable() {
        try {
            Class.forName("jdk.jfr.Event", false, FlightRecorder.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException x) {
            return false;
        }
    }

    /** Warns, once in the life of a process, that there will be no events. Called at the start of what makes events. */
    public static void warnIfAbsent() {
        if (!IS_PRESENT && WARNED.compareAndSet(false, true)) {
            LOG.warn("No events of the flight recorder: this runtime is without the module jdk.jfr");
        }
    }
}
