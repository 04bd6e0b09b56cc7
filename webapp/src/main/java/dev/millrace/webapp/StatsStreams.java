package dev.millrace.webapp;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * The open event streams. One thread writes to all of them once a second and never blocks: a slow client misses events.
 * Thread-safe.
 */
final class StatsStreams implements AutoCloseable {
    static final String CONTENT_TYPE = "text/event-stream;charset=utf-8";
    private static final int MAX_STREAMS = 64;

    private final ServerStats figures;
    private final ServletContext context;
    private final Set<Stream> open = ConcurrentHashMap.newKeySet();
    private volatile boolean ending;
    private final ScheduledExecutorService ticker = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "stats-ticker");
        thread.setDaemon(true);
        return thread;
    });

    StatsStreams(ServerStats figures, ServletContext context) {
        this.figures = figures;
        this.context = context;
        // The result is not needed: nobody cancels the ticks, which end with their thread.
        var unused = ticker.scheduleAtFixedRate(this::tick, 1, 1, TimeUnit.SECONDS);
    }

    /**
     * Starts a stream of events as the response.
     *
     * @return false when there are too many streams, or all are to end; the response is not changed then
     */
    boolean open(HttpServletRequest request, HttpServletResponse response) throws IOException {
        if (ending || open.size() >= MAX_STREAMS) {
            return false;
        }
        response.setContentType(CONTENT_TYPE);
        AsyncContext async = request.startAsync();
        async.setTimeout(0);
        Stream stream = new Stream(async, response.getOutputStream());
        async.addListener(stream);
        open.add(stream);
        stream.out.setWriteListener(stream);
        if (ending) {
            stream.end();
        }
        return true;
    }

    /** Ends all streams, and opens none any more. The future is complete when the responses of those that were open are. */
    CompletableFuture<Void> end() {
        ending = true;
        List<Stream> last = List.copyOf(open);
        last.forEach(Stream::end);
        return CompletableFuture.allOf(
                last.stream().map(stream -> stream.completed).toArray(CompletableFuture[]::new));
    }

    private void tick() {
        try {
            if (!open.isEmpty()) {
                byte[] event = event();
                open.forEach(stream -> stream.send(event));
            }
        } catch (Throwable e) {
            // Thrown on, it would end all further ticks of the executor in silence.
            context.log("live figures", e);
        }
    }

    private byte[] event() {
        return ("data: " + Json.of(figures.now()) + "\n\n").getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        ticker.shutdownNow();
        // The container that destroys the servlet does not wait for its responses.
        var unused = end();
    }

    private final class Stream implements WriteListener, AsyncListener {
        private final AsyncContext async;
        private final ServletOutputStream out;
        private final CompletableFuture<Void> completed = new CompletableFuture<>();
        private boolean started;

        Stream(AsyncContext async, ServletOutputStream out) {
            this.async = async;
            this.out = out;
        }

        /** The container calls this when the client can take more. The first event goes out at once. */
        @Override
        public synchronized void onWritePossible() {
            if (!started) {
                started = true;
                send(event());
            }
        }

        synchronized void send(byte[] event) {
            try {
                if (started && out.isReady()) {
                    out.write(event);
                    if (out.isReady()) {
                        out.flush();
                    }
                }
            } catch (IOException | IllegalStateException ignored) {
                // The client has closed the connection. Containers throw either exception.
                end();
            }
        }

        @Override
        public void onError(Throwable cause) {
            end();
        }

        @Override
        public void onComplete(AsyncEvent event) {
            completed.complete(null);
        }

        @Override
        public void onTimeout(AsyncEvent event) {}

        @Override
        public void onError(AsyncEvent event) {}

        @Override
        public void onStartAsync(AsyncEvent event) {}

        private void end() {
            if (open.remove(this)) {
                try {
                    async.complete();
                } catch (IllegalStateException ignored) {
                    // The container has completed the request.
                }
            }
        }
    }
}
