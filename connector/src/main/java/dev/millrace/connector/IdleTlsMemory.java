package dev.millrace.connector;

import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.util.annotation.ManagedAttribute;
import org.eclipse.jetty.util.annotation.ManagedObject;
import org.eclipse.jetty.util.component.AbstractLifeCycle;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * Lets memory go that connections of TLS have not used for a while. A bean of the connector, on whose scheduler it looks. The memory
 * lies outside the heap. The next collection of garbage that sees it gives it back to the system.
 *
 * <p>Thread-safe.
 */
@ManagedObject("Memory that connections of TLS keep for their next write")
public final class IdleTlsMemory extends AbstractLifeCycle {
    private static final long PERIOD_SECONDS = 10;

    private final TlsMemory memory;
    private final Connector connector;
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
        schedule();
    }

    @Override
    protected void doStop() {
        cancel();
    }

    private void cancel() {
        Scheduler.Task task = next;
        if (task != null) {
            task.cancel();
        }
    }

    private void schedule() {
        next = connector.getScheduler().schedule(this::look, PERIOD_SECONDS, TimeUnit.SECONDS);
    }

    private void look() {
        memory.letUnusedGo();
        if (isRunning()) {
            schedule();
            if (!isRunning()) {
                // Stopped in between: that has cancelled the look before.
                cancel();
            }
        }
    }
}
