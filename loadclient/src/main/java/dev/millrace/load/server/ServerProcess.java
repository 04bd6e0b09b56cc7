package dev.millrace.load.server;

import dev.millrace.load.host.ProcessCpu;
import dev.millrace.load.http.Target;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.Reader;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntPredicate;
import java.util.stream.Stream;

/**
 * A server in a process of its own. This object owns the process and its descendants: they have ended when {@link
 * #close()} returns. Safe for use by any thread.
 */
public final class ServerProcess implements AutoCloseable {

    private static final long START_SECONDS = 60;
    private static final long STOP_SECONDS = 5;
    /** How long the last output of a process that has ended may take to come through its pipe. */
    private static final long OUTPUT_SECONDS = 5;

    private static final int POLL_MILLIS = 20;
    /** Bound on a connect that finds out whether a server listens. A command may start one that is far away. */
    static final int CONNECT_MILLIS = 500;

    private static final int CHUNK_CHARS = 8192;

    private final Process process;
    private final Path log;
    private final int listenerCount;
    private final CompletableFuture<Map<String, String>> listeners = new CompletableFuture<>();
    /** The descendants at the time when the server listened: a shell that has ended no longer leads to its children. */
    private volatile List<ProcessHandle> children = List.of();

    private ServerProcess(List<String> command, Path log, int listenerCount) throws IOException {
        this.log = log;
        this.listenerCount = listenerCount;
        // The log comes first. If it failed later, nobody would read the pipe, and the server would wait in a write.
        PrintWriter copy = open(log);
        try {
            this.process = new ProcessBuilder(command).redirectErrorStream(true).start();
        } catch (IOException e) {
            copy.close();
            throw e;
        }
        Thread reader = new Thread(() -> read(copy), "server-output");
        reader.setDaemon(true);
        reader.start();
    }

    private static PrintWriter open(Path log) throws IOException {
        try {
            return new PrintWriter(Files.newBufferedWriter(log));
        } catch (IOException e) {
            throw new IOException("cannot write to " + log + ": " + e, e);
        }
    }

    /**
     * Starts a Java program that prints {@code NAME listening on URL} for each of its listeners.
     *
     * @param jvmArguments  arguments of the JVM and of the program
     * @param listenerCount number of such lines to wait for
     * @throws IOException if it cannot be started
     */
    public static ServerProcess ofJava(List<String> jvmArguments, int listenerCount, Path log) throws IOException {
        Stream<String> java = Stream.of(ServerJava.current().program());
        return new ServerProcess(Stream.concat(java, jvmArguments.stream()).toList(), log, listenerCount);
    }

    /** Starts a command without a shell. It must print {@code listening on URL} for each of its listeners. */
    public static ServerProcess of(List<String> command, int listenerCount, Path log) throws IOException {
        return new ServerProcess(command, log, listenerCount);
    }

    /** Starts a command of the user in a shell. */
    static ServerProcess ofCommand(String command, Path log) throws IOException {
        return new ServerProcess(List.of("/bin/sh", "-c", command), log, Integer.MAX_VALUE);
    }

    /** The process that was started: the server, or the shell or script that runs it. */
    public long pid() {
        return process.pid();
    }

    /**
     * Waits until the server has announced all its listeners.
     *
     * @return their URLs by name
     * @throws IOException if the process has ended, or takes too long; the message is for people
     */
    public Map<String, String> awaitListeners() throws IOException, InterruptedException {
        try {
            Map<String, String> urls = listeners.get(START_SECONDS, TimeUnit.SECONDS);
            children = process.descendants().toList();
            if (!process.isAlive()) {
                // A server in the background would be measured without its CPU time, and close() would not end it.
                throw new IOException("the command has ended. It must run the server in the foreground, see " + log);
            }
            return urls;
        } catch (TimeoutException e) {
            throw new IOException(
                    "the server did not announce " + listenerCount + " listeners within " + START_SECONDS + "s, see "
                            + log,
                    e);
        } catch (ExecutionException e) {
            throw failure(e);
        }
    }

    /**
     * Waits until an address accepts connections and this process is alive.
     *
     * @throws IOException if the process ends before, or takes too long; the message is for people
     */
    void awaitPort(InetSocketAddress address) throws IOException, InterruptedException {
        awaitPort(address, millis -> Target.accepts(address, millis));
    }

    /**
     * As above.
     *
     * @param accepts whether the address accepts a connection within so many milliseconds
     */
    void awaitPort(InetSocketAddress address, IntPredicate accepts) throws IOException, InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (System.nanoTime() - end < 0) {
            if (process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
                awaitOutputEnd();
            }
            if (accepts.test(CONNECT_MILLIS) && process.isAlive()) {
                children = process.descendants().toList();
                return;
            }
        }
        throw new IOException("nothing listens on " + address + " after " + START_SECONDS + "s, see " + log);
    }

    /**
     * Waits, after the end of the process, for what it has printed last.
     *
     * @throws IOException in any case: the server has ended, or is in the background, where its end and its CPU time
     *                     would not be seen
     */
    private void awaitOutputEnd() throws IOException, InterruptedException {
        try {
            listeners.get(OUTPUT_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw new IOException(
                    "the command has ended, and left a process behind that still has its output. It must run the "
                            + "server in the foreground, see " + log,
                    e);
        } catch (ExecutionException e) {
            throw failure(e);
        }
    }

    private static IOException failure(ExecutionException e) {
        Throwable cause = e.getCause();
        return new IOException(cause == null ? e.getMessage() : cause.getMessage(), e);
    }

    private void read(PrintWriter copy) {
        ServerOutput output = new ServerOutput();
        try (copy;
                Reader in = new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)) {
            char[] chunk = new char[CHUNK_CHARS];
            for (int count = in.read(chunk); count >= 0; count = in.read(chunk)) {
                copy.write(chunk, 0, count);
                copy.flush();
                output.take(chunk, count);
                if (output.listeners().size() == listenerCount) {
                    listeners.complete(Map.copyOf(output.listeners()));
                }
            }
            listeners.completeExceptionally(
                    new IOException("the server ended before it listened: " + output.lastLine()));
        } catch (IOException e) {
            listeners.completeExceptionally(
                    new IOException("the server's output cannot be read: " + e.getMessage(), e));
        }
    }

    @Override
    public void close() {
        List<ProcessHandle> all = Stream.concat(children.stream(), process.descendants())
                .distinct()
                .toList();
        // The shell ends first: a script that outlives its server may start another one.
        process.destroy();
        all.forEach(ProcessHandle::destroy);
        try {
            if (!awaitEnd(all)) {
                kill(all);
                awaitEnd(all);
            }
        } catch (InterruptedException ignored) {
            // The caller must not wait: the processes are killed.
            kill(all);
            Thread.currentThread().interrupt();
        }
    }

    private void kill(List<ProcessHandle> all) {
        process.destroyForcibly();
        all.forEach(ProcessHandle::destroyForcibly);
    }

    private boolean awaitEnd(List<ProcessHandle> all) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(STOP_SECONDS);
        while (process.isAlive() || all.stream().anyMatch(ServerProcess::runs)) {
            if (System.nanoTime() - end >= 0) {
                return false;
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
        return true;
    }

    private static boolean runs(ProcessHandle process) {
        return process.isAlive() && !new ProcessCpu(process.pid()).isZombie();
    }
}
