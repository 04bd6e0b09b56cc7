package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.testing.Interleavings;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Test;

/** A write that ends while it is given up, and while it is still being begun: see {@link Interleavings}. */
class ReleasingCallbackLincheck {
    @Test
    void givesBackAndCompletesOnce() {
        Interleavings.explore(() -> {
            AtomicInteger released = new AtomicInteger();
            AtomicInteger completed = new AtomicInteger();
            ReleasingCallback write = new ReleasingCallback(
                    released::incrementAndGet,
                    null,
                    Callback.from(completed::incrementAndGet, failure -> completed.incrementAndGet()));
            Exception givenUp = new Exception("given up");
            // Nobody has the callback before the sink has it.
            Thread peer = new Thread(write::succeeded);
            Thread timer = new Thread(() -> write.failed(givenUp));
            Content.Sink sink = (last, bytes, callback) -> {
                peer.start();
                timer.start();
            };
            write.write(sink, true, BufferUtil.EMPTY_BUFFER);
            Interleavings.join(peer);
            Interleavings.join(timer);
            assertEquals(1, released.get());
            assertEquals(1, completed.get());
        });
    }

    @Test
    void isGivenBackBeforeItIsCompleted() {
        Interleavings.explore(() -> {
            AtomicInteger released = new AtomicInteger();
            Runnable afterRelease = () -> assertEquals(1, released.get());
            ReleasingCallback write = new ReleasingCallback(
                    released::incrementAndGet, null, Callback.from(afterRelease, failure -> afterRelease.run()));
            Exception givenUp = new Exception("given up");
            Interleavings.together(() -> write.failed(givenUp), () -> write.failed(givenUp), write::succeeded);
            assertEquals(1, released.get());
        });
    }
}
