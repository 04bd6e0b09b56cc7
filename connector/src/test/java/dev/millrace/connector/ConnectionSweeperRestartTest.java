package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.limits.ConnectionSweeper;
import dev.millrace.testing.ContestedScheduler;
import dev.millrace.testing.Logged;
import dev.millrace.testing.Plans;
import dev.millrace.transfer.PlannedLooks;
import org.eclipse.jetty.io.ByteArrayEndPoint;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.NanoTime;
import org.eclipse.jetty.util.thread.Scheduler;
import org.junit.jupiter.api.Test;

/** Which looks are followed by another one. */
class ConnectionSweeperRestartTest {
    /** One that is under way when the connector stops may come to its end after the next start. */
    @Test
    void onlyTheLooksOfTheLastStartGoOn() throws Exception {
        Plans plans = new Plans();
        Server server = new Server();
        BioConnector connector = new BioConnector(server, null, plans, null, 1, new HttpConnectionFactory());
        ConnectionSweeper peers = connector.getBean(ConnectionSweeper.class);
        peers.start();
        peers.stop();
        peers.start();
        assertEquals(2, plans.tasks().size());
        plans.tasks().get(0).run();
        assertEquals(2, plans.tasks().size(), "of the start before");
        plans.tasks().get(1).run();
        assertEquals(3, plans.tasks().size(), "goes on");
        assertEquals(1, peers.getLooks());
        peers.stop();
        plans.tasks().get(2).run();
        assertEquals(3, plans.tasks().size(), "stopped");
    }

    @Test
    void aLookThatFailsIsFollowedByAnother() throws Exception {
        Plans plans = new Plans();
        BioConnector connector = new BioConnector(new Server(), null, plans, null, 1, new HttpConnectionFactory());
        ConnectionSweeper peers = connector.getBean(ConnectionSweeper.class);
        peers.setClock(() -> {
            throw new IllegalStateException("no time");
        });
        peers.start();
        plans.tasks().get(0).run();
        assertEquals(2, plans.tasks().size(), "goes on");
        peers.setClock(NanoTime::now);
        plans.tasks().get(1).run();
        assertEquals(1, peers.getLooks());
        peers.stop();
    }

    private static final class Connected extends BioConnector {
        private Connected(Scheduler scheduler) {
            super(new Server(), null, scheduler, null, 1, new HttpConnectionFactory());
        }

        private void disconnect() {
            onEndPointClosed(new ByteArrayEndPoint());
        }
    }

    /** Nothing else would ask it again before a restart. */
    @Test
    void aLookThatTheSchedulerHasNotTakenIsPlannedByTheNextEndOfAConnection() throws Exception {
        Plans plans = new Plans();
        Connected connector = new Connected(plans);
        ConnectionSweeper peers = connector.getBean(ConnectionSweeper.class);
        peers.start();
        connector.disconnect();
        assertEquals(1, plans.tasks().size(), "one is planned");
        plans.setFailing(true);
        plans.tasks().get(0).run();
        connector.disconnect();
        plans.setFailing(false);
        assertEquals(1, plans.tasks().size());
        connector.disconnect();
        connector.disconnect();
        assertEquals(2, plans.tasks().size(), "planned once");
        plans.tasks().get(1).run();
        assertEquals(2, peers.getLooks());
        assertEquals(3, plans.tasks().size(), "goes on");
        peers.stop();
        connector.disconnect();
        assertEquals(3, plans.tasks().size(), "stopped");
    }

    @Test
    void theNextEndOfAConnectionPlansALookThoughOnlyOneOfTwoPlansWasTaken() throws Exception {
        Connected[] connector = new Connected[1];
        ContestedScheduler scheduler = new ContestedScheduler(() -> connector[0].disconnect());
        connector[0] = new Connected(scheduler);
        ConnectionSweeper peers = connector[0].getBean(ConnectionSweeper.class);
        peers.start();
        scheduler.awaitRefusal();
        connector[0].disconnect();
        scheduler.lastTask().run();
        assertEquals(1, peers.getLooks());
        peers.stop();
    }

    @Test
    void aSchedulerThatTakesNoLookIsToldOfOnceInAStart() throws Exception {
        Plans plans = new Plans();
        plans.setFailing(true);
        Connected connector = new Connected(plans);
        connector.setName("unplanned");
        ConnectionSweeper peers = connector.getBean(ConnectionSweeper.class);
        try (Logged logged = new Logged(PlannedLooks.class.getName())) {
            peers.start();
            connector.disconnect();
            assertEquals(1, logged.count("The scheduler of unplanned"));
            peers.stop();
            peers.start();
            assertEquals(2, logged.count("The scheduler of unplanned"));
        }
        peers.stop();
    }
}
