package dev.millrace.load.scenario;

import dev.millrace.load.http.Call;
import dev.millrace.load.http.Connection;
import dev.millrace.load.http.Connections;
import dev.millrace.load.http.Failure;
import dev.millrace.load.http.Protocol;
import dev.millrace.load.http.Request;
import dev.millrace.load.http.ResponseCheck;
import dev.millrace.load.http.SocketSettings;
import dev.millrace.load.http.Target;
import dev.millrace.load.http.Timing;
import dev.millrace.load.http.TlsClient;
import dev.millrace.load.http.TlsSettings;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Sends a GET on a connection of its own, before the run. A timer aborts it when no bytes come any more. */
public final class Fetch {

    private static final int BUFFER_BYTES = 64 * 1024;
    /** Request fields that would change the answer: a catalogue must not be compressed, and a file must be whole. */
    private static final Pattern CHANGING = Pattern.compile("(?is)(Accept-Encoding|Range|If-[a-z-]+):.*");

    private final int timeoutMillis;
    private final TlsSettings tls;
    private final Protocol protocol;
    private volatile long lastProgress;
    private volatile boolean stalled;

    /**
     * A way to fetch. It may be used again, by one thread.
     *
     * @param timeoutMillis bound on connecting, and on waiting for the answer and its next bytes
     * @param tls           how TLS connections are made
     * @param protocol      spoken with the server
     */
    public Fetch(int timeoutMillis, TlsSettings tls, Protocol protocol) {
        this.timeoutMillis = timeoutMillis;
        this.tls = tls;
        this.protocol = protocol;
    }

    /**
     * Sends a GET and passes the answer to a check.
     *
     * @param headers further request fields; encodings, ranges and conditions are left out
     * @param check   the check of the answer
     * @throws IOException if no answer came, or the check found it wrong; the message is for people
     */
    void get(Target target, List<String> headers, ResponseCheck check) throws IOException {
        List<String> fields = headers.stream()
                .filter(header -> !CHANGING.matcher(header).matches())
                .toList();
        run(target, new Request("GET", target, false, fields, null), check);
    }

    /**
     * Sends a GET and returns the body of the answer.
     *
     * @param headers further request fields; encodings, ranges and conditions are left out
     * @param most    bytes that the body may have
     * @throws IOException if no such answer came; the message is for people
     */
    public byte[] body(Target target, List<String> headers, int most) throws IOException {
        Collector collector = new Collector(most);
        try {
            get(target, headers, collector);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        return collector.bytes.toByteArray();
    }

    private static final class Collector extends StatusCheck {

        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private final int most;

        Collector(int most) {
            this.most = most;
        }

        @Override
        public void body(byte[] chunk, int offset, int length) {
            if (bytes.size() + length > most) {
                throw new UncheckedIOException(new IOException("it has more than " + most + " bytes"));
            }
            bytes.write(chunk, offset, length);
        }
    }

    private void run(Target target, Request request, ResponseCheck check) throws IOException {
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "fetch-timeout");
            thread.setDaemon(true);
            return thread;
        });
        AtomicReference<@Nullable Closeable> raw = new AtomicReference<>();
        SocketSettings settings = SocketSettings.to(target, tls, protocol, null, 0, timeoutMillis);
        stalled = false;
        try (Connection connection = Connections.open(target.address(), settings, new byte[BUFFER_BYTES], raw::set)) {
            lastProgress = System.nanoTime();
            Closeable socket = Objects.requireNonNull(raw.get());
            var unused = timer.schedule(() -> watch(socket, timer), timeoutMillis, TimeUnit.MILLISECONDS);
            Failure failure = connection.exchange(
                    new Call(request, check), new Timing(), count -> lastProgress = System.nanoTime());
            if (failure != null) {
                throw new IOException(failure.detail());
            }
        } catch (IOException e) {
            throw new IOException(stalled ? "nothing came for " + timeoutMillis + " ms" : TlsClient.reason(e), e);
        } finally {
            timer.shutdownNow();
        }
    }

    private void watch(Closeable socket, ScheduledExecutorService timer) {
        long left = TimeUnit.MILLISECONDS.toNanos(timeoutMillis) - (System.nanoTime() - lastProgress);
        if (left > 0) {
            var unused = timer.schedule(() -> watch(socket, timer), left, TimeUnit.NANOSECONDS);
            return;
        }
        stalled = true;
        try {
            socket.close();
        } catch (IOException ignored) {
            // The reader gets an exception of its own.
            return;
        }
    }
}
