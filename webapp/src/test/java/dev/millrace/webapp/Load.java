package dev.millrace.webapp;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** A small load on several servers, with one thread for each. It ends when closed, or after a minute. */
final class Load implements AutoCloseable {
    private static final long LIMIT_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final List<Thread> threads;
    private final AtomicReference<Exception> failure = new AtomicReference<>();
    private volatile boolean closed;

    Load(List<String> servers, List<String> targets) {
        threads = servers.stream()
                .map(server -> new Thread(() -> run(server, targets), "load " + server))
                .toList();
        threads.forEach(Thread::start);
    }

    private void run(String server, List<String> targets) {
        HttpClient client =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        long end = System.nanoTime() + LIMIT_NANOS;
        try {
            while (!closed && System.nanoTime() < end) {
                for (String target : targets) {
                    int status = client.send(
                                    HttpRequest.newBuilder(URI.create(server + target))
                                            .build(),
                                    HttpResponse.BodyHandlers.discarding())
                            .statusCode();
                    if (status != 200) {
                        throw new IOException(target + " answered " + status);
                    }
                }
            }
        } catch (IOException | InterruptedException e) {
            failure.compareAndSet(null, e);
        }
    }

    /** Ends the load, and fails when one of its requests has failed. */
    @Override
    public void close() throws Exception {
        closed = true;
        for (Thread thread : threads) {
            thread.join();
        }
        if (failure.get() != null) {
            throw failure.get();
        }
    }
}
