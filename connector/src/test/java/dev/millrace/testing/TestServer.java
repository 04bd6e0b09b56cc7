package dev.millrace.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.connector.BioConnector;
import dev.millrace.connector.MillraceConnector;
import dev.millrace.limits.ConnectionSweeper;
import dev.millrace.transfer.TransferStatistics;
import java.util.function.Function;
import org.eclipse.jetty.http.content.CachingHttpContentFactory;
import org.eclipse.jetty.io.ArrayByteBufferPool;
import org.eclipse.jetty.io.ConnectionStatistics;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** A server on a free port of the loopback interface; closing it checks that nothing was left behind. */
public final class TestServer implements AutoCloseable {
    private final ArrayByteBufferPool.Tracking bufferPool = new ArrayByteBufferPool.Tracking();
    private final ConnectionEvents events = new ConnectionEvents();
    private final Server server;
    private final ServerConnector connector;
    private final ConnectionStatistics connections = new ConnectionStatistics();
    private boolean malformed;

    public TestServer(Function<Server, ServerConnector> connectors) {
        QueuedThreadPool threads = new QueuedThreadPool();
        threads.setName("test");
        server = new Server(threads, new NotedTimeouts(), bufferPool);
        connector = connectors.apply(server);
        connector.setHost("127.0.0.1");
        connector.addBean(connections);
        connector.addBean(events);
        server.addConnector(connector);
    }

    public TestServer start(Handler handler) throws Exception {
        server.setHandler(handler);
        server.start();
        return this;
    }

    public Server server() {
        return server;
    }

    public ServerConnector connector() {
        return connector;
    }

    /** The connector, of Millrace. */
    public MillraceConnector millrace() {
        return (MillraceConnector) connector;
    }

    /** What the connector, of Millrace, counts of its transfers. */
    public TransferStatistics transfers() {
        return millrace().getTransferStatistics();
    }

    /** What looks at the connections of the connector, of Millrace. */
    public ConnectionSweeper sweeper() {
        return connector.getBean(ConnectionSweeper.class);
    }

    /**
     * Says that requests will be malformed, or end early. Jetty answers one on a second thread, and has the connection run by a third when
     * that is done. The first, which has found it, may be about to release the request's buffer still, as the third does. Then one of
     * them is told that it released too much, or the first forgets the buffer that the third has just acquired. Jetty's own connector
     * has the former twice in 100,000 requests on a busy machine.
     */
    public TestServer expectMalformedRequests() {
        malformed = true;
        return this;
    }

    /** What Jetty counts of the connector's connections. */
    public ConnectionStatistics connections() {
        return connections;
    }

    /** That each connection is opened once and closed once. */
    public ConnectionEvents events() {
        return events;
    }

    public int port() {
        return connector.getLocalPort();
    }

    public RawClient client() throws Exception {
        return new RawClient(port());
    }

    /** Waits until the connector has no more end points. */
    public void awaitNoEndPoints() {
        awaitEndPoints(0);
    }

    /** Waits until the connector has that many end points. */
    public void awaitEndPoints(int count) {
        Await.until(
                count + " end points left",
                () -> connector.getConnectedEndPoints().size() == count,
                () -> connector.getConnectedEndPoints().toString());
    }

    /** How many writes wait for their peers. */
    public long writesThatWait() {
        return connector.getConnectedEndPoints().stream()
                .filter(EndPoints::isWritePending)
                .count();
    }

    /** Waits until a write waits for its peer. */
    public void awaitBlockedWrite() {
        Await.until("a write waits", () -> writesThatWait() > 0);
    }

    @Override
    public void close() throws Exception {
        // Jetty's own cache of contents keeps its buffers beyond a stop.
        server.getContainedBeans(CachingHttpContentFactory.class).forEach(CachingHttpContentFactory::flushCache);
        server.stop();
        // What ends slow peers is no thread of the pool, which a stop waits for.
        Await.until(
                "no end points left",
                () -> connector.getConnectedEndPoints().isEmpty(),
                () -> connector.getConnectedEndPoints().toString());
        events.assertBalanced();
        Await.until(
                "all buffers released",
                () -> bufferPool.getLeaks().stream().allMatch(this::isOfTwoThreads),
                bufferPool::dumpLeaks);
        if (connector instanceof BioConnector bio) {
            Await.until("all threads ended", () -> bio.getConnectionThreadCount() == 0);
            assertEquals(0, bio.getConnectorStatistics().getThreadsInRead());
            assertEquals(0, bio.getConnectorStatistics().getThreadsInWrite());
        }
    }

    private boolean isOfTwoThreads(ArrayByteBufferPool.Tracking.TrackedBuffer buffer) {
        String dump = buffer.dump();
        return malformed
                && dump.contains("\n0 retain(s)")
                && dump.contains("HttpConnection.run(")
                && (isReleasedTwice(dump) || isForgotten(dump));
    }

    private static boolean isReleasedTwice(String dump) {
        return dump.contains("\n1 release(s)")
                && dump.contains("\n1 over-release(s)")
                && dump.split("HttpConnection.releaseRequestBuffer\\(").length == 3;
    }

    private static boolean isForgotten(String dump) {
        return dump.contains("\n0 release(s)") && dump.contains("HttpConnection.ensureRequestBuffer(");
    }
}
