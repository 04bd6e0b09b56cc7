package dev.millrace.connector;

import java.io.IOException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.Selector;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SelectorManager;

/**
 * A selector that can be stopped although its thread is interrupted. Jetty's own (12.1.14) takes an interrupt during its stop for the
 * end of the stop, which then waits for ever. The thread may have run a handler before, and whoever interrupts that may come late.
 */
final class StoppingSelector extends ManagedSelector {
    StoppingSelector(SelectorManager manager, int id) {
        super(manager, id);
    }

    @Override
    protected int select(Selector selector) throws IOException {
        try {
            return super.select(selector);
        } catch (ClosedSelectorException x) {
            // Jetty throws this for the interrupt, too.
            if (!selector.isOpen()) {
                throw x;
            }
            return 0;
        }
    }
}
