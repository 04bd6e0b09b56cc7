package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.FailingScheduler;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.util.IO;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** What follows an alert waits for it, but not for ever. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#threads")
@Timeout(60)
class CloseAlertTest {
    private static final byte[] END = {21, 3, 3, 0, 2, 1, 0};
    /** No alert is that long: it does not fit into what the system keeps for a peer that takes nothing. */
    private static final int BYTES = 8_000_000;

    @Parameter
    String threads;

    private final PassiveProtocol protocol = new PassiveProtocol();
    private final List<String> followed = new CopyOnWriteArrayList<>();
    private BioConnector connector;
    private TestServer server;
    private RawClient client;
    private SocketChannel channel;

    @BeforeEach
    void connect() throws Exception {
        server = new TestServer(s -> {
            connector = new BioConnector(s, protocol);
            connector.setThreads(threads);
            return connector;
        });
        server.start(null);
        client = new RawClient(server.port(), 4096);
        EndPoint endPoint = protocol.awaitOpened().getEndPoint();
        channel = (SocketChannel) endPoint.getTransport();
        channel.setOption(StandardSocketOptions.SO_SNDBUF, 64 * 1024);
    }

    @AfterEach
    void close() throws Exception {
        client.close();
        server.connector().getConnectedEndPoints().forEach(EndPoint::close);
        server.close();
    }

    private CloseAlert send() {
        ByteBuffer bytes = ByteBuffer.allocate(BYTES).put(BYTES - END.length, END);
        CloseAlert alert = CloseAlert.send(null, channel, connector.resources, bytes);
        assertNotNull(alert);
        assertFalse(bytes.hasRemaining());
        return alert;
    }

    private void closeChannel() {
        followed.add("close");
        IO.close(channel);
    }

    @Test
    void comesBeforeWhatFollows() throws Exception {
        // As long as a busy machine may take for so much.
        connector.setShutdownIdleTimeout(30_000);
        CloseAlert alert = send();
        assertTrue(alert.isFollowedBy(() -> followed.add("shutdown")));
        assertTrue(alert.isFollowedByClose(
                this::closeChannel, connector.getScheduler(), connector.getShutdownIdleTimeout()));
        byte[] all = client.in().readAllBytes();
        assertEquals(BYTES, all.length);
        assertArrayEquals(END, Arrays.copyOfRange(all, BYTES - END.length, BYTES));
        Await.until("both followed", () -> followed.equals(List.of("shutdown", "close")), followed::toString);
        assertFalse(alert.isFollowedBy(() -> followed.add("too late")));
        assertFalse(alert.isFollowedByClose(
                this::closeChannel, connector.getScheduler(), connector.getShutdownIdleTimeout()));
    }

    @Test
    void comesAfterTheOneBefore() throws Exception {
        CloseAlert alert = send();
        ByteBuffer bytes = ByteBuffer.wrap(END);
        // The peer has yet to take the first.
        assertSame(alert, CloseAlert.send(alert, channel, connector.resources, bytes));
        assertFalse(bytes.hasRemaining());
        assertTrue(alert.isFollowedBy(this::closeChannel));
        byte[] all = client.in().readAllBytes();
        assertEquals(BYTES + END.length, all.length);
        assertArrayEquals(END, Arrays.copyOfRange(all, BYTES, all.length));
    }

    @Test
    void isFollowedByTheCloseThoughWhatComesBeforeFails() throws Exception {
        CloseAlert alert = send();
        assertTrue(alert.isFollowedBy(() -> {
            throw new IllegalStateException("meant to fail");
        }));
        assertTrue(alert.isFollowedByClose(this::closeChannel, connector.getScheduler(), 30_000));
        assertEquals(BYTES, client.in().readNBytes(BYTES).length);
        Await.until("closed", () -> followed.equals(List.of("close")));
    }

    @Test
    void isGivenUpWhenThePeerTakesNothing() throws Exception {
        connector.setShutdownIdleTimeout(100);
        CloseAlert alert = send();
        CountDownLatch shutdown = new CountDownLatch(1);
        assertTrue(alert.isFollowedBy(shutdown::countDown));
        Await.until("its thread waits", () -> connector.getConnectorStatistics().getThreadsInWrite() == 1);
        assertTrue(alert.isFollowedByClose(
                this::closeChannel, connector.getScheduler(), connector.getShutdownIdleTimeout()));
        assertTrue(shutdown.await(30, TimeUnit.SECONDS));
        assertFalse(channel.isOpen());
        Await.until("its thread has ended", () -> connector.getConnectionThreadCount() == 0);
    }

    @Test
    void isNotWaitedForWithoutATimeout() throws Exception {
        connector.setShutdownIdleTimeout(0);
        assertFalse(send().isFollowedByClose(
                        this::closeChannel, connector.getScheduler(), connector.getShutdownIdleTimeout()));
    }

    @Test
    void isNotWaitedForWithoutMemoryForTheTimeout() {
        assertFalse(send().isFollowedByClose(this::closeChannel, new FailingScheduler(), 30_000));
        assertEquals(List.of(), followed);
    }

    @Test
    void leavesTheBuffersAloneWithoutAThread() {
        connector.resources.threads().stop();
        ByteBuffer bytes = ByteBuffer.wrap(END);
        assertNull(CloseAlert.send(null, channel, connector.resources, bytes));
        assertEquals(END.length, bytes.remaining());
    }
}
