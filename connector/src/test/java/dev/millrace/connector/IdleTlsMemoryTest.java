package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.FailingScheduler;
import dev.millrace.testing.Plans;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The looks for memory that nobody uses go on after the scheduler has failed to take one. */
class IdleTlsMemoryTest {
    private final AtomicBoolean refusing = new AtomicBoolean();
    private final TlsMemory memory = new TlsMemory(2, size -> {
        if (refusing.get()) {
            throw new OutOfMemoryError("meant to fail");
        }
        return ByteBuffer.allocate(size);
    });
    private final Plans plans = new Plans();
    private IdleTlsMemory idle;

    @BeforeEach
    void start() throws Exception {
        BioConnector connector = new BioConnector(new Server(), null, plans, null, 1, new HttpConnectionFactory());
        IdleTlsMemory.watch(memory, connector);
        idle = connector.getBean(IdleTlsMemory.class);
        idle.start();
    }

    private void failToPlan() {
        plans.setFailing(true);
        plans.tasks().get(0).run();
        plans.setFailing(false);
        assertEquals(1, plans.tasks().size());
    }

    /** Nothing else would ask it again before a restart. */
    @Test
    void aLookThatTheSchedulerHasNotTakenIsPlannedWhereMemoryIsMade() throws Exception {
        failToPlan();
        ByteBuffer first = memory.take();
        ByteBuffer second = memory.forSlowPeers().take();
        assertNotNull(first);
        assertNotNull(second);
        memory.giveBack(first);
        memory.forSlowPeers().giveBack(second);
        assertEquals(2, plans.tasks().size(), "planned once");
        plans.tasks().get(1).run();
        assertTrue(idle.getIdleBytes() > 0, "used since the look before");
        plans.tasks().get(2).run();
        assertEquals(0, idle.getIdleBytes());
        assertEquals(4, plans.tasks().size(), "goes on");
        idle.stop();
        assertNotNull(memory.take());
        assertEquals(4, plans.tasks().size(), "stopped");
    }

    /** Without a look all connections would write one record at a time for good. */
    @Test
    void aLookThatTheSchedulerHasNotTakenIsPlannedWhereMemoryWasRefused() {
        refusing.set(true);
        assertNull(memory.take());
        failToPlan();
        // That look has had it asked again.
        assertTrue(memory.enter());
        plans.setFailing(true);
        assertNull(memory.take());
        plans.setFailing(false);
        assertFalse(memory.enter());
        assertEquals(2, plans.tasks().size());
        plans.tasks().get(1).run();
        refusing.set(false);
        assertTrue(memory.enter());
        assertNotNull(memory.take());
    }

    /** One that is under way when the connector stops may come to its end after the next start. */
    @Test
    void onlyTheLooksOfTheLastStartGoOn() throws Exception {
        idle.stop();
        idle.start();
        assertEquals(2, plans.tasks().size());
        plans.tasks().get(0).run();
        assertEquals(2, plans.tasks().size(), "of the start before");
        plans.tasks().get(1).run();
        assertEquals(3, plans.tasks().size(), "goes on");
    }

    private WeakReference<BioConnector> stopped(FailingScheduler scheduler) throws Exception {
        BioConnector connector = new BioConnector(new Server(), null, scheduler, null, 1, new HttpConnectionFactory());
        IdleTlsMemory.watch(memory, connector);
        IdleTlsMemory watch = connector.getBean(IdleTlsMemory.class);
        watch.start();
        watch.stop();
        return new WeakReference<>(connector);
    }

    /** An application may keep the factory that has the memory, and make one connector after the other with it. */
    @Test
    @Timeout(60)
    void theMemoryKeepsNoConnectorThatHasStopped() throws Exception {
        FailingScheduler forgetful = new FailingScheduler();
        forgetful.setFailing(false);
        WeakReference<BioConnector> connector = stopped(forgetful);
        Await.until("collected", () -> {
            System.gc();
            return connector.refersTo(null);
        });
        assertNotNull(memory.take());
    }
}
