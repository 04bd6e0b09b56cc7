package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.FailingScheduler;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.jetty.server.Server;
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
}
