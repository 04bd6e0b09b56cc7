package dev.millrace.webapp;

import static org.junit.jupiter.api.Assertions.fail;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A server in a JVM of its own. Closing this object ends the process, even if the test fails. */
final class ServerProcess implements AutoCloseable {
    private static final long LIMIT_SECONDS = 150;

    private final Process process;
    private final List<String> out = new ArrayList<>();
    private final List<String> err = new ArrayList<>();
    private final List<Thread> readers;

    private ServerProcess(Process process) {
        this.process = process;
        this.readers = List.of(reader(process.getInputStream(), out), reader(process.getErrorStream(), err));
    }

    /** Starts this test's JDK with the given arguments, and with options for a quick start. */
    static ServerProcess java(Path folder, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC"));
        command.addAll(arguments);
        return command(folder, command);
    }

    /** Starts a program in the given folder, which also takes its temporary files. */
    static ServerProcess command(Path folder, List<String> command) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
        builder.environment().put("TMPDIR", folder.toString());
        return new ServerProcess(builder.start());
    }

    /** Starts the WAR as a program. Its temporary files go to the given folder. */
    static ServerProcess war(Path temporary, String... options) throws IOException {
        List<String> arguments = new ArrayList<>();
        arguments.add("-Djava.io.tmpdir=" + temporary);
        arguments.addAll(List.of("-jar", System.getProperty("millrace.war")));
        arguments.addAll(List.of(options));
        return java(temporary, arguments);
    }

    private Thread reader(InputStream stream, List<String> lines) {
        Thread thread = new Thread(
                () -> {
                    try (BufferedReader reader =
                            new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
                        for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                            add(lines, line);
                        }
                    } catch (IOException e) {
                        add(lines, e.toString());
                    }
                    add(lines, null);
                },
                "output of " + process.pid());
        thread.start();
        return thread;
    }

    private synchronized void add(List<String> lines, String line) {
        if (line != null) {
            lines.add(line);
        }
        notifyAll();
    }

    /** Waits for a line on either stream that contains a match. It fails when the process ends first. */
    synchronized Matcher await(String regex) throws InterruptedException {
        Pattern pattern = Pattern.compile(regex);
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        while (true) {
            for (List<String> lines : List.of(out, err)) {
                for (String line : lines) {
                    Matcher matcher = pattern.matcher(line);
                    if (matcher.find()) {
                        return matcher;
                    }
                }
            }
            long millis = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
            if (millis <= 0 || readers.stream().noneMatch(Thread::isAlive)) {
                fail("no line " + regex + "\nstdout: " + out + "\nstderr: " + err);
            }
            // The wait is bounded, because the end of a reader thread adds no line.
            wait(Math.min(millis, 200));
        }
    }

    /** The address of a listener of the WAR. It waits until that is ready. */
    String url(String listener) throws InterruptedException {
        return await("^" + listener + " listening on (http://\\S+:\\d+)$").group(1);
    }

    /** Waits for the end of the process, and for all its output. */
    int exitCode() throws InterruptedException {
        if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
            fail("still running\nstdout: " + out + "\nstderr: " + err);
        }
        for (Thread reader : readers) {
            reader.join();
        }
        return process.exitValue();
    }

    synchronized List<String> out() {
        return List.copyOf(out);
    }

    synchronized List<String> err() {
        return List.copyOf(err);
    }

    /** SIGTERM on POSIX systems. */
    void terminate() {
        // Process.destroy() would close the streams that are still being read.
        process.toHandle().destroy();
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        try {
            process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
