package dev.millrace.load.run;

import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * Who used the machine's cores during a window, in CPU seconds. Of a server on another machine, or without
 * {@code /proc}, the unknown parts are null. Client, other, idle and steal, and the server unless it is elsewhere, add up
 * to cores times window.
 *
 * @param server              the server's process
 * @param client              this process
 * @param other               all other processes
 * @param idle                nobody
 * @param steal               the hypervisor, for other guests
 * @param softirq             part of the first three: the kernel's network input, charged to whoever ran at that moment
 * @param serverThreads       threads of the server's process at the end
 * @param serverResidentBytes its resident memory at the end
 * @param serverElsewhere     whether the server used the cores of another machine
 */
public record CpuUse(Double server, Double client, Double other, Double idle, Double steal, Double softirq,
                     Long serverThreads, Long serverResidentBytes,
                     @JsonInclude(JsonInclude.Include.NON_DEFAULT) boolean serverElsewhere) {

    /** Of a server on this machine, or of one that nothing is known of. */
    public CpuUse(Double server, Double client, Double other, Double idle, Double steal, Double softirq,
                  Long serverThreads, Long serverResidentBytes) {
        this(server, client, other, idle, steal, softirq, serverThreads, serverResidentBytes, false);
    }

    /** All of the machine's time in the window, or null when it is not known. */
    public Double total() {
        return idle == null ? null : idle + steal + other + (server == null || serverElsewhere ? 0 : server)
                + (client == null ? 0 : client);
    }
}
