package dev.millrace.connector;

import dev.millrace.transfer.PlannedLooks;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.util.annotation.ManagedAttribute;
import org.eclipse.jetty.util.annotation.ManagedObject;
import org.eclipse.jetty.util.component.AbstractLifeCycle;
import org.eclipse.jetty.util.component.LifeCycle;

/**
 * Lets memory go that connections of TLS have not used for a while. A bean of the connector, on whose scheduler it looks. The memory
 * lies outside the heap. The next collection of garbage that sees it gives it back to the system.
 *
 * <p>Thread-safe.
 */
@ManagedObject("Memory that connections of TLS keep for their next write")
public final class IdleTlsMemory extends AbstractLifeCycle {
    private static final long PERIOD_MILLIS = 10_000;

    private final TlsMemory memory;
    private final PlannedLooks looks;
    private final Runnable listener;

    private IdleTlsMemory(TlsMemory memory, Connector connector) {
        this.memory = memory;
        looks = new PlannedLooks(
                connector, connector::getScheduler, Runnable::run, () -> PERIOD_MILLIS, memory::letUnusedGo);
        listener = looks::resume;
    }

    /** A connector that starts again has its bean from the first time. */
    static void watch(TlsMemory memory, Connector connector) {
        if (connector.getBeans(IdleTlsMemory.class).stream().noneMatch(idle -> idle.memory == memory)) {
            connector.addBean(new IdleTlsMemory(memory, connector), true);
        }
    }

    /**
     * As {@link #watch}, for a connector that runs, and whose factory nobody has configured. A connector asks only those that it
     * had when it started, and none that stands within another, as in a DetectorConnectionFactory.
     */
    static synchronized void watchFromNowOn(TlsMemory memory, Connector connector) {
        watch(memory, connector);
        connector.getBeans(IdleTlsMemory.class).stream()
                .filter(idle -> idle.memory == memory && connector.isRunning())
                .forEach(idle -> LifeCycle.start(idle));
    }

    @ManagedAttribute("Bytes outside the heap that nobody uses now")
    public long getIdleBytes() {
        return memory.getIdleBytes();
    }

    @Override
    protected void doStart() {
        memory.addListener(listener);
        looks.start();
    }

    // The memory is of the factory's, which an application may keep for its next connector.
    @Override
    protected void doStop() {
        memory.removeListener(listener);
        looks.stop();
    }
}
