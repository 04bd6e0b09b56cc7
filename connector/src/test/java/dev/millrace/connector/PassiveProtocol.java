package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertNotNull;

import java.nio.ByteBuffer;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.io.AbstractConnection;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.AbstractConnectionFactory;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.internal.HttpConnection;
import org.eclipse.jetty.util.Callback;

/** A protocol that does nothing by itself: the test asks the end point. On BIO it passes for HTTP/1.1, so that the channel blocks. */
public class PassiveProtocol extends AbstractConnectionFactory {
    private final BlockingQueue<Passive> opened = new LinkedBlockingQueue<>();

    public PassiveProtocol() {
        super("test");
    }

    public interface Passive extends Connection {
        /** How often it was told that it is closed. */
        int closed();
    }

    static class PassiveConnection extends AbstractConnection implements Passive, Connection.UpgradeFrom {
        private final AtomicInteger closed = new AtomicInteger();

        PassiveConnection(EndPoint endPoint, Connector connector) {
            super(endPoint, connector.getExecutor());
        }

        @Override
        public int closed() {
            return closed.get();
        }

        @Override
        public void onClose(Throwable cause) {
            closed.incrementAndGet();
            super.onClose(cause);
        }

        @Override
        public void onFillable() {
            // The test asks the end point itself.
        }

        @Override
        public ByteBuffer onUpgradeFrom() {
            return null;
        }
    }

    private static final class PassiveHttpConnection extends HttpConnection implements Passive {
        private final AtomicInteger closed = new AtomicInteger();

        private PassiveHttpConnection(EndPoint endPoint, Connector connector) {
            super(new HttpConfiguration(), connector, endPoint);
        }

        @Override
        public int closed() {
            return closed.get();
        }

        @Override
        public void onClose(Throwable cause) {
            closed.incrementAndGet();
            super.onClose(cause);
        }

        @Override
        public void fillInterested(Callback callback) {
            // The test asks the end point itself.
        }

        @Override
        public boolean onIdleExpired(TimeoutException timeout) {
            return true;
        }
    }

    Passive newPassive(Connector connector, EndPoint endPoint) {
        return connector instanceof BioConnector
                ? new PassiveHttpConnection(endPoint, connector)
                : new PassiveConnection(endPoint, connector);
    }

    @Override
    public Connection newConnection(Connector connector, EndPoint endPoint) {
        Passive passive = newPassive(connector, endPoint);
        configure((AbstractConnection) passive, connector, endPoint);
        passive.addEventListener(new Connection.Listener() {
            @Override
            public void onOpened(Connection connection) {
                opened.add(passive);
            }
        });
        return passive;
    }

    /** Waits for a connection to be opened. */
    public Passive awaitOpened() throws InterruptedException {
        Passive connection = opened.poll(30, TimeUnit.SECONDS);
        assertNotNull(connection);
        return connection;
    }
}
