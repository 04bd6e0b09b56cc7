package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
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

/** What a handler may expect of the thread that it runs on. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#all")
@Timeout(60)
class HandlerThreadContractTest {
    @Parameter
    Connectors connectors;

    /** Remembers the path of a request by its thread while it reads the content, and answers what its thread remembered before. */
    private static final class Remembering extends Handler.Abstract {
        private final InheritableThreadLocal<String> user = new InheritableThreadLocal<>();
        private final BlockingQueue<Thread> handling = new LinkedBlockingQueue<>();

        @Override
        public boolean handle(Request request, Response response, Callback callback) throws Exception {
            String before = String.valueOf(user.get());
            user.set(Request.getPathInContext(request));
            handling.add(Thread.currentThread());
            try {
                Handlers.content(request);
            } finally {
                user.remove();
            }
            Content.Sink.write(response, true, before, callback);
            return true;
        }

        /** Waits until the next handler waits for content: then another thread reads it, which may have been made for that. */
        private void awaitReading() throws InterruptedException {
            Thread thread = handling.poll(30, TimeUnit.SECONDS);
            assertNotNull(thread);
            Await.until(
                    "waits for content",
                    () -> thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.TIMED_WAITING);
        }
    }

    @Test
    void remembersNothingOfWhoMadeIt() throws Exception {
        Remembering handler = new Remembering();
        try (TestServer server = new TestServer(connectors::http).start(handler)) {
            try (RawClient client = server.client()) {
                client.send("POST /alice HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\n");
                handler.awaitReading();
                assertEquals("null", client.send("body").answer().text());
                assertEquals("null", client.get("/bob").answer().text());
            }
            server.awaitNoEndPoints();
            List<RawClient> others = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                others.add(server.client());
            }
            for (RawClient client : others) {
                assertEquals("null", client.get("/bob").answer().text());
            }
            for (RawClient client : others) {
                client.close();
            }
        }
    }

    // Acceptors, which may make threads, have a lower one.
    @Test
    void isOfNormalPriority() throws Exception {
        Handler handler =
                Handlers.text(request -> Integer.toString(Thread.currentThread().getPriority()));
        try (TestServer server = new TestServer(connectors::http).start(handler);
                RawClient client = server.client()) {
            assertEquals(
                    Integer.toString(Thread.NORM_PRIORITY),
                    client.get("/").answer().text());
        }
    }
}
