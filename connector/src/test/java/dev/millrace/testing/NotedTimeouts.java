package dev.millrace.testing;

import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.ee11.servlet.AsyncContextEvent;
import org.eclipse.jetty.util.thread.ScheduledExecutorScheduler;

/**
 * Jetty's scheduler, by which no timeout of a servlet is lost. Jetty (12.1.14) has a timeout do nothing that runs before the request's
 * thread has noted its task. That thread may stand still for longer than a short timeout on a busy machine, and then nothing ends the
 * request. It schedules and notes with the lock of the request's state held. Here the timeout takes that lock first.
 */
final class NotedTimeouts extends ScheduledExecutorScheduler {
    @Override
    public Task schedule(Runnable task, long delay, TimeUnit unit) {
        return super.schedule(task instanceof AsyncContextEvent timeout ? () -> runNoted(timeout) : task, delay, unit);
    }

    private static void runNoted(AsyncContextEvent timeout) {
        timeout.getServletRequestState().getState();
        timeout.run();
    }
}
