package dev.millrace.load.run;

/**
 * Who used the machine's cores during a window, in CPU seconds. Of a server on another machine, or without
 * {@code /proc}, the unknown parts are null. Server, client, other, idle and steal add up to cores times window.
 *
 * @param server              the server's process
 * @param client              this process
 * @param other               all other processes
 * @param idle                nobody
 * @param steal               the hypervisor, for other guests
 * @param softirq             part of the first three: the kernel's network input, charged to whoever ran at that moment
 * @param serverThreads       threads of the server's process at the end
 * @param serverResidentBytes its resident memory at the end
 */
public record CpuUse(Double server, Double client, Double other, Double idle, Double steal, Double softirq,
                     Long serverThreads, Long serverResidentBytes) {

    /** All of the machine's time in the window, or null when it is not known. */
    public Double total() {
        return idle == null ? null : idle + steal + other + (server == null ? 0 : server)
                + (client == null ? 0 : client);
    }
}
