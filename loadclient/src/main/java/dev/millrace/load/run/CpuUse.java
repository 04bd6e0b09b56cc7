package dev.millrace.load.run;

/**
 * Who used the machine's cores during a window, in CPU seconds. Of a server on another machine, or without {@code /proc},
 * the unknown parts are null. Server, client, other, idle and steal add up to cores times window.
 *
 * @param server  the server's process
 * @param client  this process
 * @param other   all other processes
 * @param idle    nobody
 * @param steal   the hypervisor, for other guests
 * @param softirq part of the first three: the kernel's network input, charged to whoever ran at that moment
 */
public record CpuUse(Double server, Double client, Double other, Double idle, Double steal, Double softirq) {
}
