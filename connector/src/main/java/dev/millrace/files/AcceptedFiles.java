package dev.millrace.files;

import java.nio.file.Path;
import java.util.function.Predicate;
import org.eclipse.jetty.server.handler.ContextHandler;
import org.eclipse.jetty.util.component.Container;

/**
 * Tells the applications below a handler which files they may name. Thread-safe.
 *
 * @param accepted what the context attribute holds
 */
record AcceptedFiles(Predicate<Path> accepted) implements Container.InheritedListener {
    @Override
    public void beanAdded(Container parent, Object child) {
        if (child instanceof ContextHandler context) {
            context.setAttribute(XSendfileHandler.CONTEXT_ATTRIBUTE, accepted);
        }
    }

    @Override
    public void beanRemoved(Container parent, Object child) {
        if (child instanceof ContextHandler context) {
            context.removeAttribute(XSendfileHandler.CONTEXT_ATTRIBUTE);
        }
    }
}
