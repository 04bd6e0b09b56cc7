package dev.millrace.xsendfile;

import dev.millrace.transfer.WarningLimit;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.eclipse.jetty.util.NanoTime;
import org.eclipse.jetty.util.annotation.ManagedAttribute;
import org.eclipse.jetty.util.annotation.ManagedObject;
import org.eclipse.jetty.util.component.AbstractLifeCycle;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Posts the end of every transfer to a URL, as grizzly-sendfile's DownloadResultSender did. A form has {@code download_id},
 * {@code file_path}, {@code result} and {@code speed} (average, in KB/s). The result is the status code, but 200 for a 206. It is 420
 * when the client went away, 421 when it took too long, 500 when the file failed.
 *
 * <p>Posts one after the other, on a thread of its own. A post that does not succeed is tried again. One that does not
 * fit in the queue is dropped and counted, and logged once a minute at most. A transfer never waits for it.
 * Thread-safe.
 */
@ManagedObject("Posts the end of transfers")
public class DownloadNotifier extends AbstractLifeCycle implements TransferListener {
    private static final Logger LOG = LoggerFactory.getLogger(DownloadNotifier.class);

    private volatile @Nullable PostDestination destination;
    private final LongAdder posted = new LongAdder();
    private final LongAdder dropped = new LongAdder();
    private final WarningLimit warnings;
    private volatile int maxPending = 1000;
    private volatile int retries = 3;
    private volatile long retryDelayMillis = 1000;
    private volatile long timeoutMillis = 5000;
    private volatile @Nullable Run run;

    /** What lives from a start to a stop: a post under way keeps its own, and counts for no other. */
    private record Run(ScheduledThreadPoolExecutor thread, HttpClient client, AtomicInteger pending) {}

    /** Without a destination: posts nothing until there is one. */
    public DownloadNotifier() {
        this(null, NanoTime::now);
    }

    /** @param destination where to post to */
    public DownloadNotifier(String destination) {
        this(destination, NanoTime::now);
    }

    DownloadNotifier(@Nullable String destination, LongSupplier nanoTime) {
        warnings = new WarningLimit(1, nanoTime);
        setDestination(destination);
    }

    /** @return the URL, without its user and password; null when nothing is posted */
    @ManagedAttribute("Where results are posted to")
    public @Nullable String getDestination() {
        PostDestination current = destination;
        return current == null ? null : current.toString();
    }

    /**
     * @param destination where to post to, an absolute http or https URL; null: nothing is posted. A user and a password
     *     in it, percent-encoded, are sent as Basic authentication, and neither logged nor shown
     * @throws IllegalArgumentException when it is no such URL
     */
    public void setDestination(@Nullable String destination) {
        this.destination = destination == null ? null : PostDestination.of(destination);
    }

    @ManagedAttribute("Results that wait to be posted")
    public int getPending() {
        Run current = run;
        return current == null ? 0 : current.pending.get();
    }

    @ManagedAttribute("Results that were posted")
    public long getPosted() {
        return posted.sum();
    }

    @ManagedAttribute(
            "Results that were dropped: the queue was full, all attempts failed, or it was stopped before they came")
    public long getDropped() {
        return dropped.sum();
    }

    @ManagedAttribute("Most results that wait")
    public int getMaxPending() {
        return maxPending;
    }

    /** @param maxPending the most results that wait, at least 1; default 1000 */
    public void setMaxPending(int maxPending) {
        this.maxPending = (int) atLeast(1, "maxPending", maxPending);
    }

    @ManagedAttribute("How often a post that failed is tried again")
    public int getRetries() {
        return retries;
    }

    /** @param retries how often a post that failed is tried again; default 3 */
    public void setRetries(int retries) {
        this.retries = (int) atLeast(0, "retries", retries);
    }

    @ManagedAttribute("Milliseconds after the first failure; doubled with each")
    public long getRetryDelayMillis() {
        return retryDelayMillis;
    }

    /** @param retryDelayMillis how long after a failure, in milliseconds; doubled with each failure; default 1000 */
    public void setRetryDelayMillis(long retryDelayMillis) {
        this.retryDelayMillis = atLeast(0, "retryDelayMillis", retryDelayMillis);
    }

    @ManagedAttribute("Milliseconds that a post may take")
    public long getTimeoutMillis() {
        return timeoutMillis;
    }

    /** @param timeoutMillis how long a post may take, in milliseconds, at least 1; default 5000 */
    public void setTimeoutMillis(long timeoutMillis) {
        this.timeoutMillis = atLeast(1, "timeoutMillis", timeoutMillis);
    }

    private static long atLeast(long least, String name, long value) {
        if (value < least) {
            throw new IllegalArgumentException(name + " is at least " + least + ", not " + value);
        }
        return value;
    }

    @Override
    protected void doStart() {
        HttpClient client =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        ScheduledThreadPoolExecutor started = new ScheduledThreadPoolExecutor(1, DownloadNotifier::newThread);
        started.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        run = new Run(started, client, new AtomicInteger());
    }

    // The thread outlives the application whose transfer is the first to end, and must not keep it.
    private static Thread newThread(Runnable task) {
        Thread poster = new Thread(null, task, "millrace-download-notifier", 0, false);
        poster.setContextClassLoader(DownloadNotifier.class.getClassLoader());
        poster.setDaemon(true);
        return poster;
    }

    @Override
    protected void doStop() {
        Run stopped = run;
        if (stopped == null) {
            // After a start that failed.
            return;
        }
        // The client's own thread ends when the client is garbage.
        run = null;
        stopped.thread.shutdownNow();
        int pending = stopped.pending.get();
        if (pending > 0) {
            LOG.info("{} results of transfers were not posted", pending);
        }
    }

    @Override
    public void onTransferEnd(TransferResult result) {
        if (destination == null) {
            return;
        }
        Run current = run;
        if (current == null) {
            drop("stopped", result);
        } else if (current.pending.incrementAndGet() > maxPending) {
            current.pending.decrementAndGet();
            drop("the queue is full", result);
        } else {
            schedule(current, result, 0, 0);
        }
    }

    private void drop(String reason, TransferResult result) {
        dropped.increment();
        long unsaid = warnings.next();
        if (unsaid >= 0) {
            LOG.warn(
                    "Dropping the result of a transfer{}, {}: {}",
                    unsaid == 0 ? "" : ", and " + unsaid + " more since the last such line",
                    reason,
                    RootedFile.printable(result));
        }
    }

    private void schedule(Run current, TransferResult result, int failures, long delayMillis) {
        try {
            // A stop ends the thread with all that is scheduled.
            var unused =
                    current.thread.schedule(() -> post(current, result, failures), delayMillis, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException stopped) {
            current.pending.decrementAndGet();
            drop("stopped", result);
        }
    }

    private void post(Run current, TransferResult result, int failures) {
        PostDestination target = destination;
        if (target == null) {
            current.pending.decrementAndGet();
            return;
        }
        try {
            int status = send(current.client, target, form(result));
            if (status / 100 == 2) {
                current.pending.decrementAndGet();
                posted.increment();
                return;
            }
            retry(current, result, failures, "status " + status);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException | RuntimeException | Error x) {
            // No thread for the client, for example: the place in the queue is to be given back all the same.
            retry(current, result, failures, x.toString());
        }
    }

    private int send(HttpClient client, PostDestination target, String form)
            throws InterruptedException, ExecutionException, TimeoutException {
        HttpRequest.Builder request = HttpRequest.newBuilder(target.uri())
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString(form));
        if (target.authorization() != null) {
            request.header("Authorization", target.authorization());
        }
        CompletableFuture<HttpResponse<Void>> answer = client.sendAsync(request.build(), BodyHandlers.discarding());
        try {
            // The JDK's timeout of a request covers the answer's header alone, not its content.
            return await(answer).statusCode();
        } finally {
            answer.cancel(true);
        }
    }

    /** Waits for the whole of an answer, for as long as a post may take. */
    HttpResponse<Void> await(CompletableFuture<HttpResponse<Void>> answer)
            throws InterruptedException, ExecutionException, TimeoutException {
        return answer.get(timeoutMillis, TimeUnit.MILLISECONDS);
    }

    private void retry(Run current, TransferResult result, int failures, String reason) {
        LOG.debug("Cannot post {} to {}: {}", result, destination, reason);
        if (failures < retries) {
            schedule(current, result, failures + 1, retryDelayMillis << Math.min(failures, 10));
        } else {
            current.pending.decrementAndGet();
            drop("cannot post it to " + destination + " (" + reason + ")", result);
        }
    }

    static String form(TransferResult result) {
        return "download_id=" + encode(result.downloadId())
                + "&file_path=" + encode(result.file())
                + "&result=" + code(result)
                + "&speed=" + result.bytesPerSecond() / 1000;
    }

    private static int code(TransferResult result) {
        return switch (result.outcome()) {
            case DONE -> result.status() == 206 ? 200 : result.status();
            case CLIENT_GONE -> 420;
            case TIMED_OUT -> 421;
            case FAILED -> 500;
        };
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
