package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Logged;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.VirtualThreads;
import org.eclipse.jetty.util.thread.VirtualThreadPool;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which threads serve the connections of a blocking connector. */
@Timeout(60)
class BioThreadsTest {
    /** Answers whether its thread is virtual. */
    private final Handler handler = Handlers.text(request -> Boolean.toString(VirtualThreads.isVirtualThread()));

    @Test
    void areVirtualWhereThereAreAny() throws Exception {
        boolean expected = Runtime.version().feature() >= 21;
        try (TestServer server = new TestServer(BioConnector::new).start(handler);
                RawClient client = server.client()) {
            BioConnector connector = (BioConnector) server.connector();
            assertEquals("auto", connector.getThreads());
            assertEquals(expected, connector.isVirtual());
            assertEquals(Boolean.toString(expected), client.get("/").answer().text());
        }
    }

    /** Jetty's pool of virtual threads ends at 200 tasks: on a connector that asked it for them, the next connection would wait. */
    @ParameterizedTest
    @MethodSource("dev.millrace.testing.Connectors#all")
    void areNotThoseOfTheServersPool(Connectors connectors) throws Exception {
        assumeTrue(VirtualThreads.areSupported(), "no pool of virtual threads");
        Server server = new Server(new VirtualThreadPool());
        ServerConnector connector = connectors.http(server);
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        server.setHandler(handler);
        server.start();
        List<RawClient> clients = new ArrayList<>();
        try {
            for (int i = 0; i < 300; i++) {
                RawClient client = new RawClient(connector.getLocalPort());
                clients.add(client);
                assertEquals(200, client.get("/").answer().status());
            }
        } finally {
            for (RawClient client : clients) {
                client.close();
            }
            server.stop();
        }
    }

    /** Nor a class loader of an application, nor what it remembers of a request's user. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void inheritNothing(boolean isVirtual) throws Exception {
        assumeTrue(!isVirtual || VirtualThreads.areSupported(), "no virtual threads");
        InheritableThreadLocal<String> user = new InheritableThreadLocal<>();
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        ConnectionThreads threads = new ConnectionThreads("test", isVirtual);
        CompletableFuture<String> remembered = new CompletableFuture<>();
        CompletableFuture<ClassLoader> loader = new CompletableFuture<>();
        try (URLClassLoader application = new URLClassLoader(new URL[0])) {
            user.set("alice");
            Thread.currentThread().setContextClassLoader(application);
            threads.execute(() -> {
                remembered.complete(String.valueOf(user.get()));
                loader.complete(Thread.currentThread().getContextClassLoader());
            });
            assertEquals("null", remembered.get(30, TimeUnit.SECONDS));
            assertSame(BioConnector.class.getClassLoader(), loader.get(30, TimeUnit.SECONDS));
        } finally {
            Thread.currentThread().setContextClassLoader(before);
            user.remove();
            threads.stop();
        }
    }

    /** Has no memory to be noted among others, the first time. */
    private static final class Unnoted extends Thread {
        private final AtomicBoolean failing = new AtomicBoolean(true);

        private Unnoted(Runnable task) {
            super(task);
            setUncaughtExceptionHandler((thread, meant) -> {});
        }

        @Override
        public int hashCode() {
            if (currentThread() == this && failing.getAndSet(false)) {
                throw new InternalError("meant to fail");
            }
            return System.identityHashCode(this);
        }
    }

    @Test
    void areNotWaitedForAtAStopWhenTheyHaveFailedAtOnce() throws Exception {
        List<Thread> unnoted = new ArrayList<>();
        ConnectionThreads threads = new ConnectionThreads(
                "test",
                task -> {
                    Thread thread = unnoted.isEmpty() ? new Unnoted(task) : new Thread(task);
                    unnoted.add(thread);
                    thread.start();
                },
                false);
        threads.execute(() -> {});
        unnoted.get(0).join();
        try (Logged log = new Logged(ConnectionThreads.class.getName())) {
            threads.end(List.of(), () -> 0, OrderlyEnd.MOST_MILLIS);
            assertEquals(0, log.count("did not end"));
        }
    }

    /** Nobody else would close what was accepted, nor complete a write. */
    @Test
    void runTheirTaskThoughTheyCannotBeNoted() throws Exception {
        List<String> ran = new ArrayList<>();
        List<Thread> unnoted = new ArrayList<>();
        ConnectionThreads threads = new ConnectionThreads(
                "test",
                task -> {
                    unnoted.add(new Unnoted(task));
                    unnoted.get(unnoted.size() - 1).start();
                },
                false);
        threads.execute(() -> ran.add("task"));
        unnoted.get(0).join();
        threads.begin(() -> () -> ran.add("life"));
        unnoted.get(1).join();
        assertEquals(List.of("task", "life"), ran);
        assertEquals(0, threads.getRunning());
    }
}
