package dev.millrace.connector;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.util.annotation.ManagedAttribute;
import org.eclipse.jetty.util.annotation.ManagedObject;
import org.eclipse.jetty.util.component.AbstractLifeCycle;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets memory go that connections of TLS have not used for a while. A bean of the connector, on whose scheduler it looks. The memory
 * lies outside the heap. The next collection of garbage that sees it gives it back to the system.
 *
 * <p>Thread-safe.
 */
@ManagedObject("Memory that connections of TLS keep for their next write")
public final class IdleTlsMemory extends AbstractLifeCycle {
    private static final Logger LOG = LoggerFactory.getLogger(IdleTlsMemory.class);
    private static final long PERIOD_SECONDS = 10;

    private final TlsMemory memory;
    private final Connector connector;
    private final Runnable listener = this::resume;
    private final AtomicInteger plans = new AtomicInteger();
    /** Null before the first plan, and after one that the scheduler has not taken. */
    private volatile Scheduler.@Nullable Task next;

    private IdleTlsMemory(TlsMemory memory, Connector connector) {
        this.memory = memory;
        this.connector = connector;
    }

    /** A connector that starts again has its bean from the first time. */
    static void watch(TlsMemory memory, Connector connector) {
        if (connector.getBeans(IdleTlsMemory.class).stream().noneMatch(idle -> idle.memory == memory)) {
            connector.addBean(new IdleTlsMemory(memory, connector));
        }
    }

    @ManagedAttribute("Bytes outside the heap that nobody uses now")
    public long getIdleBytes() {
        return memory.getIdleBytes();
    }

    @Override
    protected void doStart() {
        memory.addListener(listener);
        schedule();
    }

    // The memory is of the factory's, which an application may keep for its next connector.
    @Override
    protected void doStop() {
        memory.removeListener(listener);
        cancel();
    }

    private void cancel() {
        Scheduler.Task task = next;
        if (task != null) {
            task.cancel();
        }
    }

    private void schedule() {
        int plan = plans.incrementAndGet();
        try {
            next = connector.getScheduler().schedule(() -> look(plan), PERIOD_SECONDS, TimeUnit.SECONDS);
        } catch (Throwable x) {
            LOG.debug("No look is planned", x);
            next = null;
        }
    }

    /** Plans a look if none is planned, because the scheduler has taken none, for want of memory as a rule. */
    private void resume() {
        if (next == null && isRunning()) {
            schedule();
        }
    }

    private void look(int plan) {
        // Two connections may have planned one each, and so may a look that was under way at a stop.
        if (plan != plans.get()) {
            return;
        }
        try {
            memory.letUnusedGo();
        } finally {
            if (isRunning()) {
                schedule();
                if (!isRunning()) {
                    // Stopped in between: that has cancelled the look before.
                    cancel();
                }
            }
        }
    }
}
