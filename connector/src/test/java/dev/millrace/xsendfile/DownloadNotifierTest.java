package dev.millrace.xsendfile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Logged;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import dev.millrace.xsendfile.TransferResult.Outcome;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.NanoTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** The posts about transfers that have ended. */
class DownloadNotifierTest {
    private final BlockingQueue<String> received = new LinkedBlockingQueue<>();
    private final AtomicInteger failures = new AtomicInteger();
    private final CountDownLatch open = new CountDownLatch(1);

    private final Handler destination = Handlers.of((request, response, callback) -> {
        String form = Content.Source.asString(request);
        open.await();
        if (failures.getAndDecrement() > 0) {
            response.setStatus(503);
        } else {
            received.add(form);
        }
        callback.succeeded();
    });

    private static TransferResult result(int number, Outcome outcome) {
        return new TransferResult("id " + number, "/srv/a&b", 206, outcome, 3_000_000, 1_500_000_000);
    }

    private DownloadNotifier notifier(TestServer server) {
        DownloadNotifier notifier = new DownloadNotifier("http://127.0.0.1:" + server.port() + "/results");
        notifier.setRetryDelayMillis(10);
        // However slow the machine is: only what the test refuses is posted again.
        notifier.setTimeoutMillis(30_000);
        return notifier;
    }

    @Test
    void saysWhyANameIsNoHost() {
        String message = assertThrows(
                        IllegalArgumentException.class, () -> new DownloadNotifier("http://download_sink:9000/results"))
                .getMessage();
        assertTrue(message.contains("such as _"), message);
        assertEquals("HTTP://a:9000/", new DownloadNotifier("HTTP://a:9000/").getDestination());
    }

    @Test
    void postsUntilItSucceeds() throws Exception {
        failures.set(3);
        open.countDown();
        try (TestServer server = new TestServer(Connectors.NIO::http).start(destination)) {
            DownloadNotifier notifier = notifier(server);
            notifier.start();
            notifier.onTransferEnd(result(1, Outcome.DONE));
            assertEquals(
                    "download_id=id+1&file_path=%2Fsrv%2Fa%26b&result=200&speed=2000",
                    received.poll(30, TimeUnit.SECONDS));
            notifier.onTransferEnd(result(2, Outcome.TIMED_OUT));
            assertTrue(received.poll(30, TimeUnit.SECONDS).contains("&result=421&"));
            Await.until("counted", () -> notifier.getPosted() == 2 && notifier.getPending() == 0);
            notifier.stop();
        }
    }

    @Test
    void dropsWhatFailsTooOften() throws Exception {
        failures.set(3);
        open.countDown();
        try (TestServer server = new TestServer(Connectors.NIO::http).start(destination)) {
            DownloadNotifier notifier = notifier(server);
            notifier.setRetries(2);
            notifier.start();
            notifier.onTransferEnd(result(1, Outcome.DONE));
            Await.until("dropped", () -> notifier.getDropped() == 1 && notifier.getPending() == 0);
            notifier.onTransferEnd(result(2, Outcome.CLIENT_GONE));
            assertTrue(received.poll(30, TimeUnit.SECONDS).contains("&result=420&"));
            notifier.stop();
        }
    }

    @Test
    void isBoundedAndNeverWaits() throws Exception {
        try (TestServer server = new TestServer(Connectors.NIO::http).start(destination)) {
            DownloadNotifier notifier = notifier(server);
            notifier.setMaxPending(10);
            notifier.start();
            for (int i = 0; i < 30; i++) {
                notifier.onTransferEnd(result(i, Outcome.DONE));
            }
            assertEquals(10, notifier.getPending());
            assertEquals(20, notifier.getDropped());
            open.countDown();
            Await.until("posted", () -> notifier.getPosted() == 10);
            notifier.stop();
        }
    }

    @Test
    void warnsOnceAMinuteAtMost() {
        AtomicLong nanoTime = new AtomicLong();
        DownloadNotifier stopped = new DownloadNotifier("http://127.0.0.1:9/results", nanoTime::get);
        try (Logged logged = new Logged("dev.millrace.xsendfile")) {
            for (int second = 0; second <= 60; second++) {
                nanoTime.set(TimeUnit.SECONDS.toNanos(second));
                stopped.onTransferEnd(result(second, Outcome.DONE));
            }
            assertEquals(1, logged.count("Dropping the result of a transfer, stopped: "));
            assertEquals(
                    1,
                    logged.count("Dropping the result of a transfer, and 59 more since the last such line, stopped: "));
            assertEquals(2, logged.count("WARN"));
        }
    }

    @Test
    void warnsOnceOfAllThatIsDropped() {
        DownloadNotifier stopped = new DownloadNotifier("http://127.0.0.1:9/results");
        try (Logged logged = new Logged("dev.millrace.xsendfile")) {
            for (int i = 0; i < 20; i++) {
                stopped.onTransferEnd(result(i, Outcome.DONE));
            }
            assertEquals(20, stopped.getDropped());
            assertEquals(1, logged.count("Dropping"));
        }
    }

    @Test
    void anAnswerThatStallsHoldsNothingUp() throws Exception {
        try (ServerSocket destination = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"))) {
            CountDownLatch begun = new CountDownLatch(1);
            DownloadNotifier notifier =
                    new DownloadNotifier("http://127.0.0.1:" + destination.getLocalPort() + "/results") {
                        // However slow the machine is: the time begins when the answer has.
                        @Override
                        HttpResponse<Void> await(CompletableFuture<HttpResponse<Void>> answer)
                                throws InterruptedException, ExecutionException, TimeoutException {
                            begun.await();
                            return super.await(answer);
                        }
                    };
            notifier.setTimeoutMillis(500);
            notifier.setRetries(0);
            notifier.start();
            notifier.onTransferEnd(result(1, Outcome.DONE));
            try (RawClient stalled = new RawClient(destination.accept())) {
                readPost(stalled);
                stalled.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab");
                begun.countDown();
                Await.until("dropped", () -> notifier.getDropped() == 1 && notifier.getPending() == 0);
                assertEquals(-1, stalled.read(), "the connection ends");
            }
            notifier.setTimeoutMillis(30_000);
            notifier.onTransferEnd(result(2, Outcome.DONE));
            try (RawClient answered = new RawClient(destination.accept())) {
                readPost(answered);
                answered.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc");
                Await.until("posted", () -> notifier.getPosted() == 1 && notifier.getPending() == 0);
            }
            notifier.stop();
        }
    }

    /** A connection that finds the queue full comes when the system asks again, after a second. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void aLongerTimeHoldsForAConnectionToo() throws Exception {
        DownloadNotifier notifier = new DownloadNotifier();
        notifier.setTimeoutMillis(200);
        notifier.setRetries(0);
        notifier.start();
        notifier.setTimeoutMillis(30_000);
        try (ServerSocket destination = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            destination.setSoTimeout(30_000);
            List<Socket> queued = fillQueue(destination);
            notifier.setDestination("http://127.0.0.1:" + destination.getLocalPort() + "/results");
            long begin = NanoTime.now();
            notifier.onTransferEnd(result(1, Outcome.DONE));
            Await.until("the shorter time is over", () -> NanoTime.millisSince(begin) > 500);
            assertEquals(0, notifier.getDropped());
            for (Socket socket : queued) {
                socket.close();
                destination.accept().close();
            }
            try (RawClient answered = new RawClient(destination.accept())) {
                readPost(answered);
                answered.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
                Await.until("posted", () -> notifier.getPosted() == 1);
            }
        }
        notifier.stop();
    }

    /** Returns what waits to be accepted. */
    private static List<Socket> fillQueue(ServerSocket destination) throws IOException {
        List<Socket> queued = new ArrayList<>();
        while (true) {
            Socket socket = new Socket();
            try {
                socket.connect(destination.getLocalSocketAddress(), 500);
                queued.add(socket);
            } catch (SocketTimeoutException full) {
                socket.close();
                return queued;
            }
        }
    }

    private static void readPost(RawClient poster) throws IOException {
        int length = 0;
        for (String line = poster.line(); !line.isEmpty(); line = poster.line()) {
            if (line.startsWith("Content-Length: ")) {
                length = Integer.parseInt(line.substring("Content-Length: ".length()));
            }
        }
        assertEquals(length, poster.in().readNBytes(length).length);
    }

    @Test
    void leavesNoThreadWhenItIsStopped() throws Exception {
        DownloadNotifier notifier = new DownloadNotifier("http://127.0.0.1:9/results");
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        notifier.start();
        Set<Thread> own = new HashSet<>(Thread.getAllStackTraces().keySet());
        own.removeAll(before);
        own.removeIf(thread -> !thread.getName().startsWith("HttpClient"));
        assertFalse(own.isEmpty());
        notifier.stop();
        // The JDK ends the client's thread some time after the client was collected.
        Await.until("ended", () -> own.stream().noneMatch(DownloadNotifierTest::isAliveAfterACollection));
        notifier.start();
        notifier.stop();
    }

    /** The thread outlives the application whose transfer is the first to end, and must not keep it. */
    @Test
    void itsThreadsAreNotOfTheApplication() throws Exception {
        open.countDown();
        ClassLoader application = new ClassLoader(getClass().getClassLoader()) {};
        try (TestServer server = new TestServer(Connectors.NIO::http).start(destination)) {
            DownloadNotifier notifier = notifier(server);
            notifier.start();
            Thread request = new Thread(() -> notifier.onTransferEnd(result(1, Outcome.DONE)));
            request.setContextClassLoader(application);
            request.start();
            assertTrue(received.poll(30, TimeUnit.SECONDS).contains("download_id=id+1&"));
            request.join();
            assertEquals(
                    List.of(),
                    Thread.getAllStackTraces().keySet().stream()
                            .filter(thread -> thread.getContextClassLoader() == application)
                            .toList());
            notifier.stop();
        }
    }

    /** As where there are no descriptors left for the client's selector. */
    @Test
    void isStoppedAfterAStartThatFailed() throws Exception {
        DownloadNotifier failing = new DownloadNotifier("http://127.0.0.1:9/results") {
            @Override
            protected void doStart() {
                throw new IllegalStateException("meant");
            }
        };
        assertThrows(IllegalStateException.class, failing::start);
        failing.stop();
        assertTrue(failing.isStopped());
        failing.onTransferEnd(result(1, Outcome.DONE));
        assertEquals(1, failing.getDropped());
    }

    private static boolean isAliveAfterACollection(Thread thread) {
        System.gc();
        try {
            thread.join(200);
            return thread.isAlive();
        } catch (InterruptedException x) {
            throw new AssertionError(x);
        }
    }

    /** What requests said who they are. */
    private static final class Guarded extends Handler.Abstract {
        private final BlockingQueue<String> authorizations = new LinkedBlockingQueue<>();

        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            String authorization = request.getHeaders().get(HttpHeader.AUTHORIZATION);
            authorizations.add(authorization + " for " + request.getHttpURI().getPathQuery());
            response.setStatus(authorization == null ? 401 : 200);
            callback.succeeded();
            return true;
        }
    }

    @Test
    void sendsUserAndPasswordOfTheUrl() throws Exception {
        Guarded guarded = new Guarded();
        try (TestServer server = new TestServer(Connectors.NIO::http).start(guarded)) {
            String host = "127.0.0.1:" + server.port() + "/results?a=%2F@b";
            DownloadNotifier notifier = new DownloadNotifier("http://j%C3%BCrgen:s%3A%40cret@" + host);
            notifier.setTimeoutMillis(30_000);
            notifier.start();
            notifier.onTransferEnd(result(1, Outcome.DONE));
            assertEquals(
                    "Basic asO8cmdlbjpzOkBjcmV0 for /results?a=%2F@b",
                    guarded.authorizations.poll(30, TimeUnit.SECONDS));
            assertEquals("http://" + host, notifier.getDestination());
            notifier.setDestination("http://user@" + host);
            notifier.onTransferEnd(result(2, Outcome.DONE));
            assertEquals("Basic dXNlcjo= for /results?a=%2F@b", guarded.authorizations.poll(30, TimeUnit.SECONDS));
            notifier.setRetries(0);
            notifier.setDestination("http://" + host);
            notifier.onTransferEnd(result(3, Outcome.DONE));
            assertEquals("null for /results?a=%2F@b", guarded.authorizations.poll(30, TimeUnit.SECONDS));
            notifier.stop();
        }
    }

    @Test
    void keepsPasswordsToItself() throws Exception {
        String refusing = "user:secret@127.0.0.1:9/results";
        DownloadNotifier notifier = new DownloadNotifier("http://" + refusing);
        notifier.setRetries(0);
        try (Logged logged = new Logged("dev.millrace.xsendfile")) {
            notifier.start();
            notifier.onTransferEnd(result(1, Outcome.DONE));
            Await.until("dropped, and said", () -> logged.count("cannot post it to http://127.0.0.1:9/results") == 1);
            notifier.stop();
            assertEquals(0, logged.count("secret"));
        }
        for (String wrong : new String[] {
            "ftp://" + refusing,
            "http://user:secret @host/",
            "http://user:sec/secret@host/",
            "http://user:secret#a@host/",
            "http://user:a^secret@host/",
            "http://user:@secret@host/"
        }) {
            IllegalArgumentException thrown =
                    assertThrows(IllegalArgumentException.class, () -> notifier.setDestination(wrong), wrong);
            for (Throwable x = thrown; x != null; x = x.getCause()) {
                assertFalse(x.toString().contains("secret"), x.toString());
            }
        }
    }
}
