package dev.millrace.load.host;

import java.util.OptionalDouble;
import java.util.OptionalLong;

/** What is known of a server's process. Implementations are thread-safe. */
public interface ServerCpu {

    /** CPU time used so far by all threads, living or ended, in nanoseconds; empty when it cannot be read. */
    OptionalLong nanos();

    /** Whether that time is a part of what this machine's cores have worked. */
    boolean isOnThisMachine();

    /** Threads of the process; empty when they are not known. */
    default OptionalLong threads() {
        return OptionalLong.empty();
    }

    /** Resident memory in bytes; empty when it is not known. */
    default OptionalLong residentBytes() {
        return OptionalLong.empty();
    }

    /** CPU time of a Java process's compiler threads so far, in nanoseconds; 0 when it is not known. */
    default long compilerNanos() {
        return 0;
    }

    /** Cores that the process may run on; empty when they are not known. */
    default OptionalDouble allowedCores() {
        return OptionalDouble.empty();
    }
}
