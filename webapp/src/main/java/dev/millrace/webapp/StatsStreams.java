package dev.millrace.webapp;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * The open event streams. One thread writes to all of them once a second and never blocks: a slow client misses events.
 * The same thread looks more often whether the server stops. Thread-safe.
 */
final class StatsStreams implements AutoCloseable {
    static final String CONTENT_TYPE = "text/event-stream;charset=utf-8";
    private static final int MAX_STREAMS = 64;
    // A stopping server gives idle connections a second after the last event (getShutdownIdleTimeout). Streams end
    // earlier.
    private static final long LOOK_MILLIS = 200;
    private static final int LOOKS_PER_EVENT = 5;

    private final ServerStats figures;
    private final ServletContext context;
    private final Set<Stream> open = ConcurrentHashMap.newKeySet();
    // Used by the ticker's thread alone.
    private int looks;
    private final ScheduledExecutorService ticker = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "stats-ticker");
        thread.setDaemon(true);
        return thread;
    });

    StatsStreams(ServerStats figures, ServletContext context) {
        this.figures = figures;
        this.context = context;
        // The result is not needed: nobody cancels the ticks, which end with their thread.
        var unused = ticker.scheduleAtFixedRate(this::tick, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
    }

    /**
     * Starts a stream of events as the response.
     *
     * @return false when there are too many streams; the response is not changed then
     */
    boolean open(HttpServletRequest request, HttpServletResponse response) throws IOException {
        if (open.size() >= MAX_STREAMS) {
            return false;
        }
        response.setContentType(CONTENT_TYPE);
        AsyncContext async = request.startAsync();
        async.setTimeout(0);
        Stream stream = new Stream(async, response.getOutputStream());
        open.add(stream);
        stream.out.setWriteListener(stream);
        return true;
    }

    private void tick() {
        try {
            if (context.getAttribute(ContextAttributes.STOPPING) instanceof BooleanSupplier stopping
                    && stopping.getAsBoolean()) {
                open.forEach(Stream::end);
            } else if (++looks % LOOKS_PER_EVENT == 0 && !open.isEmpty()) {
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
        open.forEach(Stream::end);
    }

    private final class Stream implements WriteListener {
        private final AsyncContext async;
        private final ServletOutputStream out;
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
