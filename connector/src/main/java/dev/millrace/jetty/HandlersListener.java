package dev.millrace.jetty;

import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.util.component.Container;

/**
 * A listener of all handlers below the one that it is added to. Jetty lets only managed beans inherit a listener, and a collection that
 * changes while it runs does not manage what comes. Nor should other beans inherit one without need: Jetty's {@code LowResourceMonitor}
 * refuses to be changed when it has a listener.
 */
public interface HandlersListener extends Container.Listener {
    @Override
    default void beanAdded(Container parent, Object child) {
        if (child instanceof Handler && child instanceof Container container) {
            container.addEventListener(this);
        }
    }

    @Override
    default void beanRemoved(Container parent, Object child) {
        if (child instanceof Handler && child instanceof Container container) {
            container.removeEventListener(this);
        }
    }
}
