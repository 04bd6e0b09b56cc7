package dev.millrace.load.scenario;

import dev.millrace.load.http.AnswerCheck;
import dev.millrace.load.http.Call;
import dev.millrace.load.http.Failure;
import dev.millrace.load.http.HttpConnection;
import dev.millrace.load.http.Requests;
import dev.millrace.load.http.SocketSettings;
import dev.millrace.load.http.Target;
import dev.millrace.load.http.Timing;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** One GET on a connection of its own, before anything is measured, which is given up when nothing comes any more. */
final class Fetch {

    private static final int BUFFER_BYTES = 64 * 1024;
    /** A catalogue must come as it is, and a file whole, whatever is measured. */
    private static final Pattern OTHER_FORM = Pattern.compile("(?is)(Accept-Encoding|Range|If-[a-z-]+):.*");

    private final int timeoutMillis;
    private volatile long lastProgress;
    private volatile boolean stalled;

    private Fetch(int timeoutMillis) {
        this.timeoutMillis = timeoutMillis;
    }

    /**
     * Fetches.
     *
     * @param headers       further request fields; those that ask for another form, or a part, are left out
     * @param check         what the answer goes to
     * @param timeoutMillis bound on connecting, and on waiting for the answer and for its next bytes
     * @throws IOException if no answer came, or the check found it wrong; the message is for people
     */
    static void get(Target target, List<String> headers, AnswerCheck check, int timeoutMillis) throws IOException {
        List<String> fields = headers.stream().filter(header -> !OTHER_FORM.matcher(header).matches()).toList();
        new Fetch(timeoutMillis).run(target, Requests.of("GET", target, false, fields, null), check);
    }

    private void run(Target target, byte[] request, AnswerCheck check) throws IOException {
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "fetch-timeout");
            thread.setDaemon(true);
            return thread;
        });
        SocketSettings settings = new SocketSettings(null, 0, timeoutMillis);
        try (HttpConnection connection = HttpConnection.open(target.address(), settings, new byte[BUFFER_BYTES])) {
            lastProgress = System.nanoTime();
            timer.schedule(() -> watch(connection, timer), timeoutMillis, TimeUnit.MILLISECONDS);
            Failure failure = connection.exchange(new Call(request, check), new Timing(),
                    count -> lastProgress = System.nanoTime());
            if (failure != null) {
                throw new IOException(failure.detail());
            }
        } catch (IOException e) {
            throw stalled ? new IOException("nothing came for " + timeoutMillis + " ms", e) : e;
        } finally {
            timer.shutdownNow();
        }
    }

    private void watch(HttpConnection connection, ScheduledExecutorService timer) {
        long left = TimeUnit.MILLISECONDS.toNanos(timeoutMillis) - (System.nanoTime() - lastProgress);
        if (left > 0) {
            timer.schedule(() -> watch(connection, timer), left, TimeUnit.NANOSECONDS);
            return;
        }
        stalled = true;
        connection.abort();
    }
}
