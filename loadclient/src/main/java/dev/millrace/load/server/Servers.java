package dev.millrace.load.server;

import dev.millrace.load.host.Environment;
import dev.millrace.load.host.ListeningPort;
import dev.millrace.load.host.ProcessCpu;
import dev.millrace.load.host.ServerCpu;
import dev.millrace.load.http.Target;
import dev.millrace.load.http.TlsSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The servers that are measured. Those with a command are started anew for each block, and owned by this object until
 * {@link #close()}. Confined to one thread, but for {@link #close()}, which Ctrl-C calls from another.
 */
public final class Servers implements AutoCloseable {

    /** That of a JVM may name a hundred jars. */
    private static final int LONGEST_COMMAND = 100;

    private final List<Entry> entries;
    private final @Nullable Path logFolder;
    private final TlsSettings tls;
    private final Map<String, ServerProcess> started = new ConcurrentHashMap<>();
    /** The processes of servers that this object has not started. */
    private final Map<String, ListeningPort.Holder> found = new ConcurrentHashMap<>();

    private volatile boolean closed;

    /**
     * One server. Immutable.
     *
     * @param label   name of the variant
     * @param target  URL that requests go to
     * @param pid     its process if the user named it, or null
     * @param cpuUri  URL at which it reports its CPU time, or null
     * @param command command that starts it, or null
     */
    public record Entry(
            String label,
            Target target,
            @Nullable Long pid,
            @Nullable URI cpuUri,
            @Nullable String command) {}

    /**
     * Servers.
     *
     * @param logFolder folder for the output of those that are started; null for the temporary folder
     * @param tls       how a server is asked for its CPU time
     */
    public Servers(List<Entry> entries, @Nullable Path logFolder, TlsSettings tls) {
        this.entries = List.copyOf(entries);
        this.logFolder = logFolder;
        this.tls = tls;
    }

    /**
     * Starts the servers that have a command, after ending those of the block before.
     *
     * @throws IOException if a server does not listen, another process uses its port, or this is closed; the message is
     *     for people
     */
    public void startBlock() throws IOException, InterruptedException {
        endStarted();
        for (Entry entry : entries) {
            String command = entry.command();
            if (command != null) {
                refuseOther(entry.target().address());
                Path folder = logFolder == null ? Path.of(System.getProperty("java.io.tmpdir")) : logFolder;
                Files.createDirectories(folder);
                String name = entry.label().isEmpty()
                        ? "server"
                        : "server-" + entry.label().replaceAll("\\W", "_");
                ServerProcess process = ServerProcess.ofCommand(command, folder.resolve(name + ".log"));
                started.put(entry.label(), process);
                // A close() meanwhile may have missed this process, which may never listen.
                if (closed) {
                    process.close();
                    throw new IOException("the servers were ended");
                }
                process.awaitPort(entry.target().address());
            }
        }
    }

    /** Fails if another process listens: it would be measured in place of the server. */
    private static void refuseOther(InetSocketAddress address) throws IOException {
        if (Target.accepts(address, ServerProcess.CONNECT_MILLIS)) {
            throw new IOException("something listens on " + address.getHostString() + ":" + address.getPort()
                    + " already, so the server's command was not started");
        }
    }

    /** The CPU time of a server; null if it is not known. */
    public @Nullable ServerCpu cpu(String label) {
        Entry entry = entry(label);
        URI cpuUri = entry.cpuUri();
        return cpuUri == null
                ? process(label)
                : new ReportedCpu(cpuUri, isLocal(entry.target().address().getAddress()), tls);
    }

    private Entry entry(String label) {
        return entries.stream()
                .filter(one -> one.label().equals(label))
                .findFirst()
                .orElseThrow();
    }

    /** A server's process with its descendants; null if it is not known. */
    @Nullable ProcessCpu process(String label) {
        Entry entry = entry(label);
        ServerProcess process = started.get(label);
        Long pid = process == null ? entry.pid() : Long.valueOf(process.pid());
        if (pid != null) {
            return new ProcessCpu(pid, true);
        }
        if (!isLocal(entry.target().address().getAddress())) {
            return null;
        }
        ListeningPort.Holder holder = holder(entry);
        return holder == null ? null : new ProcessCpu(holder.pid(), true);
    }

    /** Looks for the process only once: each search takes CPU time from the server that is about to be measured. */
    private ListeningPort.@Nullable Holder holder(Entry entry) {
        ListeningPort.Holder known = found.get(entry.label());
        if (known != null && known.holds()) {
            return known;
        }
        ListeningPort.Holder holder = ListeningPort.holder(entry.target().address());
        if (holder != null) {
            found.put(entry.label(), holder);
        }
        return holder;
    }

    /**
     * Why the process that the user named cannot be the server's: another listens there, which it has not started. The
     * text names both, and says what else the user can do.
     *
     * @return null if it may be, or the listening process is not known
     */
    public @Nullable String wrongProcess(Entry entry) {
        InetSocketAddress address = entry.target().address();
        Long pid = entry.pid();
        if (pid == null || !isLocal(address.getAddress())) {
            return null;
        }
        OptionalLong listening = ListeningPort.pid(address);
        if (listening.isEmpty() || ListeningPort.isHeldBy(pid, address)) {
            return null;
        }
        boolean started = ProcessHandle.of(pid).stream()
                .flatMap(ProcessHandle::descendants)
                .anyMatch(child -> child.pid() == listening.getAsLong());
        return started
                ? null
                : "process " + named(pid) + " does not listen on " + address.getHostString() + ":"
                        + address.getPort() + ", process " + named(listening.getAsLong())
                        + " does; that one is taken without --server-pid. If it only passes connections on, take a URL "
                        + "of the server behind it, or --server-cpu-url";
    }

    /** Whether the user named a process, and nothing shows that it is the server's: who listens there is not known. */
    public boolean isUnchecked(Entry entry) {
        InetSocketAddress address = entry.target().address();
        return entry.pid() != null
                && !(isLocal(address.getAddress()) && ListeningPort.pid(address).isPresent());
    }

    /** A process with the beginning of its command, if that is known. */
    private static String named(long pid) {
        String command = Environment.commandLine(pid);
        if (command == null) {
            return Long.toString(pid);
        }
        String shown = Target.withoutPasswords(command);
        return pid + " (" + (shown.length() > LONGEST_COMMAND ? shown.substring(0, LONGEST_COMMAND) + "..." : shown)
                + ")";
    }

    /** Adds each server's process and command line to a report's facts. */
    public void describe(Map<String, String> facts) {
        for (Entry entry : entries) {
            ProcessCpu process = process(entry.label());
            if (process != null) {
                String command = Environment.commandLine(process.pid());
                facts.put(
                        ("server process " + entry.label()).strip(),
                        process.pid() + (command == null ? "" : " " + Target.withoutPasswords(command)));
            }
        }
    }

    /** All servers, in the order of the command line. */
    public List<Entry> entries() {
        return entries;
    }

    private static boolean isLocal(InetAddress address) {
        try {
            return address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null;
        } catch (SocketException ignored) {
            // Without a list of interfaces the server counts as remote, and its CPU time is unknown.
            return false;
        }
    }

    @Override
    public void close() {
        closed = true;
        endStarted();
    }

    private void endStarted() {
        started.values().forEach(ServerProcess::close);
        started.clear();
    }
}
