package dev.millrace.webapp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class StatsServletTest {
    private static final String EVENTS = "Accept: text/event-stream";

    private final Server server = new Server();
    private final AtomicBoolean hasFailed = new AtomicBoolean();
    private final ServletContextHandler context = new ServletContextHandler();
    private String url;

    /** Fails at the first tick. */
    private List<Object> listeners() {
        if (Thread.currentThread().getName().equals("stats-ticker") && hasFailed.compareAndSet(false, true)) {
            throw new NoClassDefFoundError("meant to fail, as what a server has replaced");
        }
        return List.of();
    }

    @BeforeEach
    void start() throws Exception {
        ServerConnector connector = new ServerConnector(server);
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        context.setAttribute(FileSender.DOWNLOADS, new FileSender(context.getServletContext()));
        context.setAttribute(ContextAttributes.LISTENERS, (Supplier<List<Object>>) this::listeners);
        ServletHolder stats = new ServletHolder(StatsServlet.class);
        stats.setAsyncSupported(true);
        context.addServlet(stats, "/stats");
        server.setHandler(context);
        server.start();
        url = "http://127.0.0.1:" + connector.getLocalPort();
    }

    @AfterEach
    void stop() throws Exception {
        server.stop();
    }

    /** Nothing is written to it that would fail when its peer is gone: a stream would be one for ever. */
    @Test
    void aHeadIsAnsweredAndIsNoStream() throws Exception {
        Http.Answer head = Http.send(url, "HEAD", "/stats", "", EVENTS);
        assertEquals(200, head.status());
        assertTrue(head.header("Content-Type").startsWith("text/event-stream"), head.toString());
        assertEquals(0, head.body().length);
    }

    @Test
    @Timeout(60)
    void aStreamGoesOnWhenFiguresOnceFail() throws Exception {
        try (Http.Events events = new Http.Events(url, "/stats")) {
            assertTrue(events.next().startsWith("{\"timeMillis\":"));
            assertTrue(events.next().startsWith("{\"timeMillis\":"));
            assertTrue(hasFailed.get());
        }
    }

    @Test
    void aGetIsAStream() throws Exception {
        try (Http.Events events = new Http.Events(url, "/stats")) {
            assertTrue(events.next().startsWith("{\"timeMillis\":"));
        }
    }

    /** A server asks for this before it stops. */
    @Test
    @Timeout(60)
    void streamsEndWhenTheyAreTold() throws Exception {
        try (Http.Events events = new Http.Events(url, "/stats")) {
            assertTrue(events.next().startsWith("{\"timeMillis\":"));
            Object ending = context.getServletContext().getAttribute(ContextAttributes.END_STREAMS);
            CompletableFuture<?> ended = (CompletableFuture<?>) ((Supplier<?>) ending).get();
            ended.get(30, TimeUnit.SECONDS);
            events.end();
        }
        assertEquals(503, Http.send(url, "GET", "/stats", "", EVENTS).status());
    }
}
