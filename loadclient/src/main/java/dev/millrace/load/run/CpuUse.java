package dev.millrace.load.run;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

/**
 * The use of the machine's cores during a window, in CPU seconds. Unknown parts are null: without {@code /proc}, or
 * when the server runs on another machine. Client, partners, other, idle, steal, and the server unless it is elsewhere,
 * add up to cores times window. Immutable.
 *
 * @param server              the server's process
 * @param client              this process, which may load other servers at the same time
 * @param other               all other processes
 * @param idle                idle time
 * @param steal               time that the hypervisor gave to other guests
 * @param softirq             part of the first three and of the partners: the kernel's network input, charged to the
 *                            process that it interrupted
 * @param serverThreads       threads of the server's process at the end
 * @param serverResidentBytes its resident memory at the end
 * @param serverElsewhere     whether the server used the cores of another machine
 * @param partners            the servers that were measured at the same time, which is 0 for those on other machines;
 *                            null if there were none
 */
public record CpuUse(
        @Nullable Double server,
        @Nullable Double client,
        @Nullable Double other,
        @Nullable Double idle,
        @Nullable Double steal,
        @Nullable Double softirq,
        @Nullable Long serverThreads,
        @Nullable Long serverResidentBytes,
        @JsonInclude(JsonInclude.Include.NON_DEFAULT) boolean serverElsewhere,
        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Double partners) {

    /** The share of the machine beyond which other processes make figures less exact. */
    public static final double MUCH_BY_OTHERS = 0.1;

    /** Nothing is known. */
    static final CpuUse UNKNOWN = new CpuUse(null, null, null, null, null, null, null, null, false, null);

    /** What the server used of this machine; null if that is not known. */
    @Nullable Double serverHere() {
        return serverElsewhere ? null : server;
    }

    /**
     * The same use, in which the time of other measured servers no longer counts as that of other processes.
     *
     * @param seconds their CPU time; null for none
     */
    CpuUse beside(@Nullable Double seconds) {
        return new CpuUse(
                server,
                client,
                other == null || seconds == null ? other : (Double) Math.max(0, other - seconds),
                idle,
                steal,
                softirq,
                serverThreads,
                serverResidentBytes,
                serverElsewhere,
                seconds);
    }

    /** The machine's CPU time in the window; null when it is not known. */
    public @Nullable Double total() {
        return idle == null || steal == null || other == null
                ? null
                : idle
                        + steal
                        + other
                        + (server == null || serverElsewhere ? 0 : server)
                        + (client == null ? 0 : client)
                        + (partners == null ? 0 : partners);
    }

    /** The share of the machine that other processes took; null if that is not known, as without the server's time. */
    public @Nullable Double othersShare() {
        Double total = total();
        return total == null || other == null || server == null ? null : (Double) (other / total);
    }
}
