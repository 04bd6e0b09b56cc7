package dev.millrace.load;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The sample web application in a JVM of its own, with its three listeners on free ports. Owns the process: it is gone
 * when {@link #close()} returns. Safe for use by any thread.
 */
final class ServerProcess implements AutoCloseable {

    private static final Pattern READY = Pattern.compile("(\\w+) listening on (http://\\S+)");
    private static final int LISTENERS = 3;
    private static final long START_SECONDS = 60;
    private static final long STOP_SECONDS = 5;

    private final Process process;
    private final Path log;
    private final CompletableFuture<Map<String, String>> listeners = new CompletableFuture<>();

    private ServerProcess(Process process, Path log) {
        this.process = process;
        this.log = log;
        Thread reader = new Thread(this::read, "server-output");
        reader.setDaemon(true);
        reader.start();
    }

    /**
     * Starts the application; its output goes to a file.
     *
     * @throws IOException if it cannot be started
     */
    static ServerProcess start(Path war, Path log) throws IOException {
        if (!Files.isRegularFile(war)) {
            throw new IOException("no such file: " + war);
        }
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-jar", war.toString(), "--bio-port=0", "--nio-port=0", "--stock-port=0"));
        return new ServerProcess(new ProcessBuilder(command).redirectErrorStream(true).start(), log);
    }

    long pid() {
        return process.pid();
    }

    /**
     * Waits until all three listen.
     *
     * @return URL by name, in the order in which they were announced
     * @throws IOException if the process ends before, or takes too long; the message is for people
     */
    Map<String, String> awaitListeners() throws IOException, InterruptedException {
        try {
            return listeners.get(START_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw new IOException("the server did not announce " + LISTENERS + " listeners within " + START_SECONDS
                    + " s, see " + log, e);
        } catch (ExecutionException e) {
            throw new IOException(e.getCause().getMessage(), e);
        }
    }

    private void read() {
        Map<String, String> found = new LinkedHashMap<>();
        String last = "it printed nothing";
        try (BufferedReader lines =
                     new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
             PrintWriter copy = new PrintWriter(Files.newBufferedWriter(log))) {
            String line;
            while ((line = lines.readLine()) != null) {
                copy.println(line);
                copy.flush();
                last = line;
                Matcher matcher = READY.matcher(line);
                if (matcher.find()) {
                    found.put(matcher.group(1), matcher.group(2));
                }
                if (found.size() == LISTENERS) {
                    listeners.complete(Map.copyOf(found));
                }
            }
            listeners.completeExceptionally(new IOException("the server ended before it listened: " + last));
        } catch (IOException e) {
            listeners.completeExceptionally(new IOException("the server's output cannot be read: " + e.getMessage(), e));
        }
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor(STOP_SECONDS, TimeUnit.SECONDS);
            }
        } catch (InterruptedException ignored) {
            // Told to hurry: kill without waiting.
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
