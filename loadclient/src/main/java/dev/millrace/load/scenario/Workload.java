package dev.millrace.load.scenario;

import dev.millrace.load.http.Target;
import java.util.Map;

/** One kind of work, the same for all clients of a cell. Safe for use by any thread. */
public interface Workload {

    /** Where the requests go. */
    Target target();

    /** False when each exchange has a connection of its own. */
    boolean keepAlive();

    /** Settings that tell this workload from others of the same sweep, in the order in which they are shown. */
    Map<String, String> parameters();

    /** Whether bytes matter more than requests: decides the unit of the figures. */
    boolean countsBytes();

    /** Bytes asked of a socket at once that suit the answers. */
    int readBufferBytes();

    /** What one client does; the same seed gives the same sequence. */
    Script script(long seed);
}
