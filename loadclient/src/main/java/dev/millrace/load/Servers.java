package dev.millrace.load;

import dev.millrace.load.host.Environment;
import dev.millrace.load.host.ListeningPort;
import dev.millrace.load.host.ProcessCpu;
import dev.millrace.load.host.ReportedCpu;
import dev.millrace.load.host.ServerCpu;
import dev.millrace.load.http.Target;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/** The servers that are measured: found, or started anew for each block. Owns those it starts. One thread. */
final class Servers implements AutoCloseable {

    private static final int PROBE_MILLIS = 500;

    private final List<Entry> entries;
    private final Path logFolder;
    private final Map<String, ServerProcess> started = new HashMap<>();

    /**
     * One server.
     *
     * @param label   name of the variant
     * @param target  where it listens
     * @param pid     its process if the user named it, or null
     * @param cpuUri  where it tells its CPU time, or null
     * @param command what starts it, or null
     */
    record Entry(String label, Target target, Long pid, URI cpuUri, String command) {
    }

    /** Servers; the output of those that are started goes to the folder, if there is one. */
    Servers(List<Entry> entries, Path logFolder) {
        this.entries = List.copyOf(entries);
        this.logFolder = logFolder;
    }

    /**
     * Starts, or starts again, what has a command.
     *
     * @throws IOException if it does not listen, or another process does where it should; the message is for people
     */
    void startBlock() throws IOException, InterruptedException {
        close();
        for (Entry entry : entries) {
            if (entry.command() != null) {
                refuseOther(entry.target().address());
                Path folder = logFolder == null ? Path.of(System.getProperty("java.io.tmpdir")) : logFolder;
                Files.createDirectories(folder);
                String name = entry.label().isEmpty() ? "server" : "server-" + entry.label().replaceAll("\\W", "_");
                ServerProcess process = ServerProcess.ofCommand(entry.command(), folder.resolve(name + ".log"));
                started.put(entry.label(), process);
                process.awaitPort(entry.target().address());
            }
        }
    }

    /** What listens already would be measured in place of the server that could not. */
    private static void refuseOther(InetSocketAddress address) throws IOException {
        if (ServerProcess.answers(address, PROBE_MILLIS)) {
            throw new IOException("something listens on " + address.getHostString() + ":" + address.getPort()
                    + " already, so the server's command was not started");
        }
    }

    /** What is known of a server's CPU time; null if nothing is. */
    ServerCpu cpu(String label) {
        Entry entry = entry(label);
        return entry.cpuUri() == null ? process(label)
                : new ReportedCpu(entry.cpuUri(), isLocal(entry.target().address().getAddress()));
    }

    private Entry entry(String label) {
        return entries.stream().filter(one -> one.label().equals(label)).findFirst().orElseThrow();
    }

    /** A server's process with those that it started; null if it is not known. */
    ProcessCpu process(String label) {
        Entry entry = entry(label);
        if (started.containsKey(label)) {
            return new ProcessCpu(started.get(label).pid(), true);
        }
        if (entry.pid() != null) {
            return new ProcessCpu(entry.pid(), true);
        }
        if (!isLocal(entry.target().address().getAddress())) {
            return null;
        }
        OptionalLong pid = ListeningPort.pid(entry.target().address());
        return pid.isPresent() ? new ProcessCpu(pid.getAsLong(), true) : null;
    }

    /** Adds each server's process and command line to a report's facts. */
    void describe(Map<String, String> facts) {
        for (Entry entry : entries) {
            ProcessCpu process = process(entry.label());
            if (process != null) {
                String command = Environment.commandLine(process.pid());
                facts.put(("server process " + entry.label()).strip(),
                        process.pid() + (command == null ? "" : " " + command));
            }
        }
    }

    List<Entry> entries() {
        return entries;
    }

    private static boolean isLocal(InetAddress address) {
        try {
            return address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null;
        } catch (SocketException ignored) {
            // The interfaces cannot be listed: take the server for a remote one, its CPU time stays unknown.
            return false;
        }
    }

    @Override
    public void close() {
        started.values().forEach(ServerProcess::close);
        started.clear();
    }
}
