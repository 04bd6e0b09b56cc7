package dev.millrace.load.run;

import java.util.concurrent.ThreadFactory;

/**
 * Makes the clients' threads. More than 1,000 clients get virtual threads on JDK 21 and newer, because the kernel
 * schedules that many platform threads slowly. Stateless.
 */
final class ClientThreads {

    private static final int MOST_PLATFORM_THREADS = 1000;
    /** A client's stack is shallow, and thousands of stacks of the default size need much memory. */
    private static final long STACK_BYTES = 256 * 1024;

    private static final int FIRST_WITH_VIRTUAL = 21;

    private ClientThreads() {}

    static ThreadFactory forClients(int clients) {
        if (clients > MOST_PLATFORM_THREADS && Runtime.version().feature() >= FIRST_WITH_VIRTUAL) {
            return virtual();
        }
        return task -> {
            Thread thread = new Thread(null, task, "client", STACK_BYTES);
            thread.setDaemon(true);
            return thread;
        };
    }

    /** {@code Thread.ofVirtual().factory()} by reflection, because JDK 17 does not have it. */
    private static ThreadFactory virtual() {
        try {
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            return (ThreadFactory) Class.forName("java.lang.Thread$Builder")
                    .getMethod("factory")
                    .invoke(builder);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("a JDK " + Runtime.version() + " without virtual threads", e);
        }
    }
}
