package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** One thread of the application that writes to many peers, of which some take nothing. */
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
            response.write(false, bytes, Callback.from(() -> written.set(true), cause -> { }));
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

    /** Counts how often a thread is seen to wait for a writer. */
    private static final class Watch extends Thread {
        private final Thread watched;
        private final AtomicInteger waits = new AtomicInteger();
        private volatile boolean ended;

        private Watch(Thread watched) {
            this.watched = watched;
        }

        @Override
        public void run() {
            while (!ended) {
                Object blocker = LockSupport.getBlocker(watched);
                if (blocker != null && blocker.getClass().getName().startsWith(WriterTurns.class.getName())) {
                    waits.incrementAndGet();
                }
                Thread.yield();
            }
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
                Subscriber subscriber = handler.subscribers.poll(10, TimeUnit.SECONDS);
                assertNotNull(subscriber);
                subscribers.add(subscriber);
                boolean hadRoom = true;
                while (hadRoom) {
                    hadRoom = subscriber.takes(ByteBuffer.allocateDirect(1024 * 1024));
                }
            }
            watch.ended = true;
            watch.join();
            for (RawClient client : clients) {
                client.close();
            }
            subscribers.forEach(subscriber -> subscriber.callback.failed(new IOException("nobody listens")));
            server.awaitNoEndPoints();
        } finally {
            watch.ended = true;
        }
        assertEquals(0, watch.waits.get());
    }
}
