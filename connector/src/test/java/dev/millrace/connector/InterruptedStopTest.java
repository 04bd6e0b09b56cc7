package dev.millrace.connector;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.TestServer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.util.component.LifeCycle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** A thread that selects may have run a handler before: whoever interrupts that may come late, even in a stop. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#ours")
@Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class InterruptedStopTest {
    @Parameter
    Connectors connectors;

    @Test
    void stopsAlthoughItsSelectorsAreInterrupted() throws Exception {
        try (TestServer server = new TestServer(connectors::http)
                .start(Handlers.of((request, response, callback) -> callback.succeeded()))) {
            for (ManagedSelector selector :
                    server.connector().getSelectorManager().getBeans(ManagedSelector.class)) {
                CompletableFuture<Thread> selecting = new CompletableFuture<>();
                selector.submit(keys -> selecting.complete(Thread.currentThread()));
                Thread thread = selecting.get(30, TimeUnit.SECONDS);
                selector.addEventListener(new LifeCycle.Listener() {
                    @Override
                    public void lifeCycleStopping(LifeCycle stopping) {
                        thread.interrupt();
                    }
                });
            }
            server.connector().stop();
        }
    }
}
