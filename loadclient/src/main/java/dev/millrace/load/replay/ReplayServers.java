package dev.millrace.load.replay;

import dev.millrace.load.experiment.Experiment;
import dev.millrace.load.experiment.ServerSetting;
import dev.millrace.load.host.ProcessCpu;
import dev.millrace.load.http.Failure;
import dev.millrace.load.http.Target;
import dev.millrace.load.server.ServerProcess;
import dev.millrace.load.server.ServerPrograms;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The servers of one experiment, each a process of its own that starts before its first cell. This object owns the
 * processes: all have ended when {@link #close()} returns. Any thread may call that; the other methods belong to one
 * thread.
 */
final class ReplayServers implements AutoCloseable {

    private static final String HEAP = "512m";
    private static final List<String> LISTENERS = List.of("BIO", "NIO", "STOCK");

    private final Experiment experiment;
    private final ServerPrograms programs;
    private final ReplayFiles files;
    private final Path logs;
    private final Map<String, Running> running = new ConcurrentHashMap<>();
    private final Map<String, String> skipped = new LinkedHashMap<>();
    /** The server that has not told its listener yet. */
    private volatile @Nullable ServerProcess starting;

    private volatile boolean closed;

    /**
     * A running server. Immutable.
     *
     * @param process its process
     * @param target  its URL
     */
    record Running(ServerProcess process, Target target) {

        /** Its CPU time, with that of its descendants: the process may be a script that has started the server. */
        ProcessCpu cpu() {
            return new ProcessCpu(process.pid(), true);
        }
    }

    /**
     * Finds out which servers are skipped.
     *
     * @param only names of the servers that the user wants; empty for all
     * @param logs folder for the servers' output
     */
    ReplayServers(Experiment experiment, ServerPrograms programs, List<String> only, ReplayFiles files, Path logs) {
        this.experiment = experiment;
        this.programs = programs;
        this.files = files;
        this.logs = logs;
        experiment.servers().forEach((name, setting) -> {
            if (!only.isEmpty() && !only.contains(name)) {
                skipped.put(name, "not asked for");
            } else if (setting.java() > programs.javaFeature()) {
                skipped.put(name, "needs JDK " + setting.java() + " or newer");
            } else if (setting.peer() && programs.peer(setting.listener()) == null) {
                skipped.put(name, programs.reasonForNoPeer(setting.listener()));
            }
        });
    }

    /** The reason for each skipped server, by name. */
    Map<String, String> skipped() {
        return skipped;
    }

    /** Whether the server must be started and warmed up before it can be measured. */
    boolean isCold(String name) {
        return !running.containsKey(name);
    }

    /**
     * The server, which is started if it does not run.
     *
     * @return null if an optional server did not start; it is skipped from then on
     * @throws IOException if another server did not start; the message is for people
     */
    @Nullable Running start(String name) throws IOException, InterruptedException {
        Running known = running.get(name);
        if (known != null) {
            return known;
        }
        ServerSetting setting = Objects.requireNonNull(experiment.servers().get(name), name);
        ServerProcess process = ServerProcess.of(
                command(name, setting), 1, logs.resolve("server-" + name.replaceAll("\\W", "_") + ".log"));
        starting = process;
        try {
            if (closed) {
                process.close();
            }
            Map<String, String> urls = process.awaitListeners();
            Running now = new Running(process, target(urls.values().iterator().next()));
            running.put(name, now);
            if (closed) {
                close();
            }
            return now;
        } catch (IOException e) {
            process.close();
            if (!setting.optional() && !setting.peer()) {
                throw new IOException(name + ": " + e.getMessage(), e);
            }
            skipped.put(name, Failure.firstLine(e));
            return null;
        } catch (InterruptedException e) {
            process.close();
            throw e;
        } finally {
            starting = null;
        }
    }

    private static Target target(String url) throws IOException {
        try {
            return Target.of(url + "/");
        } catch (IllegalArgumentException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    void stop(String name) {
        Running known = running.remove(name);
        if (known != null) {
            known.process().close();
        }
    }

    private List<String> command(String name, ServerSetting setting) throws IOException {
        String heap = Objects.requireNonNullElse(experiment.heap(), HEAP);
        if (setting.peer()) {
            return programs.peer(setting.listener(), files.folder(), heap);
        }
        List<String> command = new ArrayList<>(programs.war(heap));
        for (String listener : LISTENERS) {
            command.add("--" + listener.toLowerCase(Locale.ROOT) + "-port="
                    + (listener.equals(setting.listener()) ? 0 : -1));
        }
        command.add("--files=" + files.folder());
        Path log = logs.resolve("access-" + name.replaceAll("\\W", "_") + ".log");
        for (String option : setting.options()) {
            command.add(option.replace("{log}", log.toString())
                    .replace("{cores}", Integer.toString(Runtime.getRuntime().availableProcessors())));
            if (option.contains("{log}")) {
                Files.deleteIfExists(log);
            }
        }
        return command;
    }

    /** Ends all servers for good. A server that is just starting ends too. */
    @Override
    public void close() {
        closed = true;
        stopAll();
        ServerProcess silent = starting;
        if (silent != null) {
            silent.close();
        }
    }

    /** Ends all servers; {@link #start} may start them again. */
    void stopAll() {
        for (String name : running.keySet().toArray(String[]::new)) {
            stop(name);
        }
    }
}
