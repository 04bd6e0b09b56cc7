package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertNotNull;

import java.nio.ByteBuffer;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.io.AbstractConnection;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.AbstractConnectionFactory;
import org.eclipse.jetty.server.Connector;

/** A protocol that does nothing by itself: the test asks the end point. */
class PassiveProtocol extends AbstractConnectionFactory {
    private final BlockingQueue<Passive> opened = new LinkedBlockingQueue<>();

    PassiveProtocol() {
        super("test");
    }

    static class Passive extends AbstractConnection implements Connection.UpgradeFrom {
        private final AtomicInteger closed = new AtomicInteger();

        Passive(EndPoint endPoint, Connector connector) {
            super(endPoint, connector.getExecutor());
        }

        /** How often it was told that it is closed. */
        int closed() {
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

    Passive newPassive(Connector connector, EndPoint endPoint) {
        return new Passive(endPoint, connector) {
            @Override
            public void onOpen() {
                super.onOpen();
                opened.add(this);
            }
        };
    }

    @Override
    public Connection newConnection(Connector connector, EndPoint endPoint) {
        return configure(newPassive(connector, endPoint), connector, endPoint);
    }

    /** Waits for a connection to be opened. */
    Passive awaitOpened() throws InterruptedException {
        Passive connection = opened.poll(10, TimeUnit.SECONDS);
        assertNotNull(connection);
        return connection;
    }
}
