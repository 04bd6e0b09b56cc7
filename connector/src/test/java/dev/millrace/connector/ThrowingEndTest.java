package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.List;
import org.eclipse.jetty.io.ByteArrayEndPoint;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Server;
import org.junit.jupiter.api.Test;

/** An application that throws when it hears of the end of its connection keeps no other one open at a stop. */
class ThrowingEndTest {
    /** As when the callback of a read throws that is told of its failure. */
    private static final class Throwing extends ByteArrayEndPoint {
        @Override
        public void onClose(Throwable cause) {
            super.onClose(cause);
            throw new IllegalStateException("expected by the test");
        }
    }

    private static final class Connected extends NioConnector {
        private Connected() {
            super(new Server());
        }

        private void add(EndPoint endPoint) {
            onEndPointOpened(endPoint);
        }
    }

    @Test
    void othersEndToo() {
        Connected connector = new Connected();
        List<Throwing> endPoints = List.of(new Throwing(), new Throwing());
        endPoints.forEach(connector::add);
        connector.endAll(() -> true);
        endPoints.forEach(endPoint -> assertFalse(endPoint.isOpen()));
    }
}
