package dev.millrace.load.host;

import java.util.OptionalDouble;
import java.util.OptionalLong;

/** CPU time and size of a server's process. Implementations are safe for use by any thread. */
public interface ServerCpu {

    /** CPU time used so far by all threads, including ended ones, in nanoseconds; empty when it cannot be read. */
    OptionalLong nanos();

    /** Whether that time was used on this machine's cores. */
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
