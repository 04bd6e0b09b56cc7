package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.UnixOperatingSystemMXBean;
import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Logged;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.eclipse.jetty.server.Handler;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What connections hold while they linger: a thread and a selector together, and a descriptor each. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#ours")
class LingeringCloseThreadTest extends LingeringConnections {
    /** For each connector; one of them has as many more as the descriptors of this process allow. */
    private static final int MANY = 2000;

    private static final int MOST = 10_000;
    /** Of this process, beside the two ends of each connection. */
    private static final int OTHER_DESCRIPTORS = 1000;

    /** A stop waits for the thread, but not for long. */
    @BeforeEach
    void noneIsLeft() {
        Await.until("no thread of an earlier test", () -> threads().count() == 0);
    }

    private int many() {
        UnixOperatingSystemMXBean system = (UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long free = system.getMaxFileDescriptorCount() - system.getOpenFileDescriptorCount() - OTHER_DESCRIPTORS;
        int possible = (int) Math.min(MOST, free / 2);
        assertTrue(possible >= MANY, () -> free + " descriptors are too few for this test");
        return connectors == Connectors.NIO ? possible : MANY;
    }

    private static long descriptors() {
        return ((UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getOpenFileDescriptorCount();
    }

    /** They hold a thread and a selector together, a descriptor each, and end by the bound of time. */
    @Test
    void thousandsShareOneThreadAndEnd() throws Exception {
        TestServer server = server();
        server.connector().setAcceptQueueSize(1000);
        server.connector().getBean(LingeringClose.class).setSilenceMillis(HOUR_MILLIS);
        server.millrace().setLingeringCloseMillis(HOUR_MILLIS);
        int many = many();
        List<SocketChannel> peers = new ArrayList<>();
        try (server) {
            server.start(Handlers.hello());
            ByteBuffer request = StandardCharsets.US_ASCII.encode(upload(HOUR_MILLIS));
            SocketAddress address = new InetSocketAddress("127.0.0.1", server.port());
            long before = descriptors();
            for (int i = 0; i < many; i++) {
                peers.add(SocketChannel.open(address));
                peers.get(i).write(request.duplicate());
            }
            awaitLingering(server, many);
            server.awaitNoEndPoints();
            assertEquals(1, threads().count());
            if (server.connector() instanceof BioConnector bio) {
                Await.until("no threads of connections", () -> bio.getConnectionThreadCount() == 0);
            }
            server.millrace().setLingeringCloseMillis(1);
            awaitLingering(server, 0);
            assertEquals(many, server.millrace().getLingeredConnections());
            assertEquals(0, server.millrace().getCutLingeringConnections());
            Await.until(
                    "the server's descriptors are free",
                    () -> descriptors() < before + many + MANY / 2,
                    () -> descriptors() + " are open, " + before + " were before");
        } finally {
            for (SocketChannel peer : peers) {
                peer.close();
            }
        }
    }

    /** What the system refuses to {@link LingeringClose}. */
    enum Refused {
        DESCRIPTOR,
        THREAD
    }

    @ParameterizedTest
    @EnumSource
    void isNotWithoutThreadOrDescriptor(Refused refused) throws Exception {
        TestServer server = server();
        server.millrace().setLingeringCloseMillis(HOUR_MILLIS);
        LingeringClose lingeringClose = server.connector().getBean(LingeringClose.class);
        List<Selector> opened = new CopyOnWriteArrayList<>();
        lingeringClose.setSources(
                () -> {
                    if (refused == Refused.DESCRIPTOR) {
                        throw new IOException("Too many open files");
                    }
                    opened.add(Selector.open());
                    return opened.get(opened.size() - 1);
                },
                task -> {
                    throw new OutOfMemoryError("unable to create native thread");
                });
        try (server;
                Logged logged = new Logged(LingeringClose.class.getName())) {
            server.start(Handlers.hello());
            for (int i = 1; i <= 3; i++) {
                RawClient client = client(server).send(upload(HOUR_MILLIS));
                assertEquals("hello", client.answer().text());
                assertEquals(-1, client.in().read());
                server.awaitNoEndPoints();
                assertEquals(i, server.millrace().getCutLingeringConnections());
            }
            assertEquals(0, server.millrace().getLingeredConnections());
            assertEquals(1, logged.count("closed without lingering"));
            assertTrue(opened.stream().noneMatch(Selector::isOpen));
            // The next connection asks again.
            lingeringClose.setSources(Selector::open, Thread::new);
            lingering(server);
            assertEquals(1, server.millrace().getLingeringConnections());
        }
    }

    @Test
    void aStopEndsThem() throws Exception {
        TestServer server = server();
        server.millrace().setLingeringCloseMillis(HOUR_MILLIS);
        RawClient[] lingering = new RawClient[3];
        try (server) {
            server.start(Handlers.hello());
            for (int i = 0; i < lingering.length; i++) {
                lingering[i] = lingering(server);
            }
            trickle(lingering);
            assertEquals(lingering.length, server.millrace().getLingeringConnections());
            server.connector().stop();
            assertEquals(0, server.millrace().getLingeringConnections());
            Await.until("reset", trickle::isShutdown);
            // A stop waits for it, but not for long.
            Await.until("no thread", () -> threads().count() == 0);
            server.connector().start();
            lingering(server);
            assertEquals(1, server.millrace().getLingeringConnections());
        }
    }

    @Test
    void theThreadEndsWhenNoneLinger() throws Exception {
        TestServer server = server();
        server.connector().getBean(LingeringClose.class).setRestMillis(1);
        try (server) {
            server.start(Handlers.hello());
            for (int i = 0; i < 2; i++) {
                lingering(server).close();
                awaitLingering(server, 0);
                Await.until("no thread", () -> threads().count() == 0);
            }
            assertEquals(2, server.millrace().getLingeredConnections());
        }
    }

    /** Which may be undeployed while connections of others linger. */
    @Test
    void theThreadKeepsNoApplication() throws Exception {
        ClassLoader application = new URLClassLoader(new URL[0]);
        Handler hello = Handlers.hello();
        Handler handler = Handlers.around(hello, (request, response, callback) -> {
            ClassLoader before = Thread.currentThread().getContextClassLoader();
            Thread.currentThread().setContextClassLoader(application);
            try {
                return hello.handle(request, response, callback);
            } finally {
                Thread.currentThread().setContextClassLoader(before);
            }
        });
        try (TestServer server = server().start(handler)) {
            lingering(server);
            assertEquals(
                    List.of(LingeringClose.class.getClassLoader()),
                    threads().map(Thread::getContextClassLoader).toList());
        }
    }
}
