package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.FailingScheduler;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.component.AbstractLifeCycle;
import org.junit.jupiter.api.Test;

/** A connector whose selectors accept is never left in a pause that nothing ends. */
class AcceptPauseTest {
    @Test
    void doesNotBeginWithoutAnEnd() {
        NioConnector connector = new NioConnector(new Server(), null, new FailingScheduler(), null, 0, 1);
        AtomicBoolean accepting = new AtomicBoolean(true);
        AcceptPause pause = new AcceptPause(connector, accepting::set);
        assertThrows(OutOfMemoryError.class, () -> pause.begin(new IOException("Too many open files")));
        assertTrue(accepting.get());
        pause.want(true);
        assertTrue(accepting.get());
    }

    /** Its selector finds no descriptor when it is about to stop. */
    @Test
    void endsWithTheNextStart() throws Exception {
        Server server = new Server();
        NioConnector connector = new NioConnector(server, 0, 1);
        server.addConnector(connector);
        connector.addBean(new AbstractLifeCycle() {
            @Override
            protected void doStop() {
                connector.acceptPause.begin(new IOException("Too many open files"));
            }
        });
        server.start();
        server.stop();
        server.start();
        try {
            assertTrue(connector.isAccepting());
            connector.setAccepting(false);
            connector.setAccepting(true);
            assertTrue(connector.isAccepting());
        } finally {
            server.stop();
        }
    }
}
