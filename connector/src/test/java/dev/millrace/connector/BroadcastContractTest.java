package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** One thread that writes to many peers, of which some take nothing: the application's own, or another request's. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#all")
@Timeout(60)
class BroadcastContractTest {
    private static final int PEERS = 10;

    @Parameter
    Connectors connectors;

    /** A response that the test writes to. */
    private record Subscriber(Response response, Callback callback) {
        /** @return whether there was room for it */
        boolean takes(ByteBuffer bytes) {
            AtomicBoolean written = new AtomicBoolean();
            response.write(false, bytes, Callback.from(() -> written.set(true), cause -> {}));
            return written.get();
        }
    }

    private static final class Subscribing extends Handler.Abstract {
        private final BlockingQueue<Subscriber> subscribers = new LinkedBlockingQueue<>();

        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            subscribers.add(new Subscriber(response, callback));
            return true;
        }
    }

    /** Collects the calls of ours in which a thread is seen to wait. */
    private static final class Watch extends Thread {
        private static final Set<Thread.State> WAITS = EnumSet.of(Thread.State.WAITING, Thread.State.TIMED_WAITING);
        private static final List<String> OURS = List.of("dev.millrace.");
        private static final List<String> JDK = List.of("java.", "jdk.", "sun.");
        /** The last two wait for a carrier, and for a thread to be made: neither is a wait for a peer. */
        private static final List<String> OTHERS = List.of(
                BroadcastContractTest.class.getName(),
                "dev.millrace.testing.",
                CarrierTurn.class.getName(),
                ConnectionThreads.class.getName());

        private final Thread watched;
        private final Queue<StackTraceElement> waits = new ConcurrentLinkedQueue<>();
        private volatile boolean ended;

        private Watch(Thread watched) {
            this.watched = watched;
        }

        @Override
        public void run() {
            while (!ended) {
                if (WAITS.contains(watched.getState())) {
                    look(watched.getStackTrace());
                }
                Thread.yield();
            }
        }

        // The thread may have gone on since it was seen to wait, and parks no more then.
        private void look(StackTraceElement... calls) {
            boolean parks = false;
            int first = 0;
            while (first < calls.length && isOf(JDK, calls[first])) {
                parks |= calls[first].getMethodName().startsWith("park");
                first++;
            }
            if (parks && first < calls.length && isOf(OURS, calls[first]) && !isOf(OTHERS, calls[first])) {
                waits.add(calls[first]);
            }
        }

        private static boolean isOf(List<String> prefixes, StackTraceElement call) {
            return prefixes.stream().anyMatch(call.getClassName()::startsWith);
        }

        private void end() throws InterruptedException {
            ended = true;
            join();
        }
    }

    @Test
    void waitsForNoneOfThem() throws Exception {
        Subscribing handler = new Subscribing();
        List<RawClient> clients = new ArrayList<>();
        List<Subscriber> subscribers = new ArrayList<>();
        Watch watch = new Watch(Thread.currentThread());
        try (TestServer server = new TestServer(connectors::http).start(handler)) {
            watch.start();
            for (int i = 0; i < PEERS; i++) {
                clients.add(new RawClient(server.port(), 4096).get("/"));
                Subscriber subscriber = handler.subscribers.poll(30, TimeUnit.SECONDS);
                assertNotNull(subscriber);
                subscribers.add(subscriber);
                boolean hadRoom = true;
                while (hadRoom) {
                    hadRoom = subscriber.takes(ByteBuffer.allocateDirect(1024 * 1024));
                }
            }
            watch.end();
            end(clients, subscribers);
            server.awaitNoEndPoints();
        } finally {
            watch.ended = true;
        }
        assertEquals(List.of(), List.copyOf(watch.waits));
    }

    private static void end(List<RawClient> clients, Collection<Subscriber> subscribers) throws IOException {
        for (RawClient client : clients) {
            client.close();
        }
        subscribers.forEach(subscriber -> subscriber.callback.failed(new IOException("nobody listens")));
    }

    /** Fills all subscribers, and says for how many of them it waited though they had no room. */
    private static final class Broadcasting extends Handler.Abstract {
        private final Subscribing subscribing = new Subscribing();
        private final AtomicLong waitsInVain = new AtomicLong();

        @Override
        public boolean handle(Request request, Response response, Callback callback) throws Exception {
            if (!Request.getPathInContext(request).equals("/all")) {
                return subscribing.handle(request, response, callback);
            }
            Watch watch = new Watch(Thread.currentThread());
            watch.start();
            try {
                for (Subscriber subscriber : subscribing.subscribers) {
                    boolean hadRoom = true;
                    while (hadRoom) {
                        int waits = watch.waits.size();
                        hadRoom = subscriber.takes(ByteBuffer.allocateDirect(1024 * 1024));
                        if (!hadRoom && watch.waits.size() > waits) {
                            waitsInVain.incrementAndGet();
                        }
                    }
                }
            } finally {
                watch.end();
            }
            Content.Sink.write(response, true, "done", callback);
            return true;
        }
    }

    @Test
    void waitsForNoneOfThemInARequest() throws Exception {
        Broadcasting handler = new Broadcasting();
        List<RawClient> clients = new ArrayList<>();
        try (TestServer server = new TestServer(connectors::http).start(handler);
                RawClient publisher = server.client()) {
            for (int i = 0; i < PEERS; i++) {
                clients.add(new RawClient(server.port(), 4096).get("/"));
            }
            Await.until("subscribed", () -> handler.subscribing.subscribers.size() == PEERS);
            assertEquals("done", publisher.get("/all").answer().text());
            end(clients, handler.subscribing.subscribers);
        }
        assertEquals(0, handler.waitsInVain.get());
    }
}
