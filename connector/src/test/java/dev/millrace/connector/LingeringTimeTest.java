package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.EndPoints;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.util.NanoTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** For how long connections linger whose peers do not end them. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#ours")
@Execution(ExecutionMode.CONCURRENT)
class LingeringTimeTest extends LingeringConnections {
    @Test
    void endsWhenItsPeerIsSilent() throws Exception {
        try (TestServer server = server().start(Handlers.hello());
                RawClient client = lingering(server)) {
            server.millrace().setLingeringCloseMillis(100);
            awaitLingering(server, 0);
            assertEquals(0, server.millrace().getCutLingeringConnections());
            // No reset before that.
            assertEquals(-1, client.in().read());
        }
    }

    @Test
    void isCutAfterItsTime() throws Exception {
        try (TestServer server = server().start(Handlers.hello());
                RawClient client = lingering(server)) {
            trickle(client);
            // Who sends nothing for as long is silent, and a busy machine may keep the sender from it for two seconds.
            server.millrace().setLingeringCloseMillis(4000);
            awaitLingering(server, 0);
            assertEquals(1, server.millrace().getCutLingeringConnections());
            Await.until("reset", trickle::isShutdown);
        }
    }

    /** It reads all that linger: what comes meanwhile is no silence, and a close would reset who has sent it. */
    @Test
    void isNotSilentWhileAListenerHoldsUpTheThread() throws Exception {
        CountDownLatch told = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        try (TestServer server = server().start(Handlers.hello());
                AutoCloseable end = release::countDown;
                ServerSocketChannel listening = ServerSocketChannel.open().bind(new InetSocketAddress("127.0.0.1", 0));
                SocketChannel peer = SocketChannel.open(listening.getLocalAddress());
                SocketChannel full = listening.accept();
                SocketChannel endedPeer = SocketChannel.open(listening.getLocalAddress());
                SocketChannel ended = listening.accept()) {
            LingeringClose lingeringClose = server.connector().getBean(LingeringClose.class);
            long written = fill(full);
            // The first to come: the thread reads it no more when it has heard of the other's end.
            lingeringClose.take(full).begin(false);
            LingeringClose.Lingering other = lingeringClose.take(ended);
            other.onEnd(() -> {
                told.countDown();
                awaitOpen(release);
            });
            other.begin(false);
            endedPeer.close();
            assertTrue(told.await(30, TimeUnit.SECONDS), "told");
            long begin = NanoTime.now();
            lingeringClose.setSilenceMillis(500);
            assertEquals(1, peer.write(ByteBuffer.wrap(new byte[1])));
            Await.until("come", () -> EndPoints.available(full) > 0);
            Await.until("the thread's next look is due", () -> NanoTime.millisSince(begin) > 1000);
            release.countDown();
            awaitLingering(server, 0);
            assertEquals(written, Channels.newInputStream(peer).readAllBytes().length);
        }
    }

    /** @return how many bytes the socket has taken, of which the peer has yet to read all */
    private static long fill(SocketChannel channel) throws IOException {
        channel.configureBlocking(false);
        long bytes = 0;
        int written;
        do {
            written = channel.write(ByteBuffer.allocate(64 * 1024));
            bytes += written;
        } while (written > 0);
        return bytes;
    }

    private static void awaitOpen(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException x) {
            Thread.currentThread().interrupt();
        }
    }

    /** On BIO a thread has begun to wait for more of the request, and goes on. */
    @Test
    void endsWhenItsPeerIsSilentInTls() throws Exception {
        Tls tls = new Tls();
        TestServer server = new TestServer(s -> connectors.https(s, tls));
        try (server;
                RawClient client = tls.connect(server.start(Handlers.hello()).port())) {
            client.send(upload(HOUR_MILLIS));
            assertEquals("hello", client.answer().text());
            assertEquals(-1, client.in().read());
            Await.until("lingers", () -> server.millrace().getLingeredConnections() == 1);
            server.millrace().setLingeringCloseMillis(100);
            awaitLingering(server, 0);
            assertEquals(0, server.millrace().getCutLingeringConnections());
            if (server.connector() instanceof BioConnector bio) {
                Await.until("no threads of connections", () -> bio.getConnectionThreadCount() == 0);
            }
        }
    }
}
