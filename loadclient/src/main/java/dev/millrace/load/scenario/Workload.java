package dev.millrace.load.scenario;

import dev.millrace.load.http.Target;
import java.util.Map;

/** One kind of work, which all clients of a cell do. Implementations are safe for use by any thread. */
public interface Workload {

    /** The server that requests go to. */
    Target target();

    /** False when each exchange has a connection of its own. */
    default boolean keepAlive() {
        return true;
    }

    /** Settings in which workloads of one sweep differ, in the order in which they are shown. */
    Map<String, String> parameters();

    /** Whether throughput counts in bytes instead of requests. */
    default boolean countsBytes() {
        return false;
    }

    /** Size of a read buffer that suits the answers. */
    default int readBufferBytes() {
        return 8192;
    }

    /** The calls of one client. The same seed gives the same sequence. */
    Script script(long seed);
}
