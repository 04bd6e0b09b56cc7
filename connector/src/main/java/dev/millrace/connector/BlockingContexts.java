package dev.millrace.connector;

import dev.millrace.jetty.HandlersListener;
import java.util.List;
import java.util.Set;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.Context;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.handler.ContextHandler;
import org.eclipse.jetty.server.handler.ContextHandlerCollection;
import org.eclipse.jetty.server.handler.GracefulHandler;
import org.eclipse.jetty.server.handler.PathMappingsHandler;
import org.eclipse.jetty.server.handler.StatisticsHandler;
import org.eclipse.jetty.util.annotation.ManagedAttribute;
import org.eclipse.jetty.util.annotation.ManagedObject;
import org.eclipse.jetty.util.thread.Invocable;
import org.jspecify.annotations.Nullable;

/**
 * Knows whether only contexts of a server may block. Then a request may begin in the selector's thread. That thread leaves the
 * selector before it enters a context that may block. It serves the other contexts, such as those of files, itself.
 *
 * <p>Thread-safe. Public for JMX alone.
 */
@ManagedObject("Where the handlers of the server may block")
public final class BlockingContexts implements HandlersListener, ContextHandler.ContextScopeListener {
    /** Handlers that choose or count, and wait for nothing. A subclass may do more. */
    private static final Set<Class<?>> ROUTERS = Set.of(
            Handler.Sequence.class,
            ContextHandlerCollection.class,
            PathMappingsHandler.class,
            StatisticsHandler.class,
            GracefulHandler.class);

    /** Asked with each request, and kept: the name of a class is text to compare. */
    private static final ClassValue<Boolean> IS_OF_JETTY = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            String name = type.getName();
            return name.startsWith("org.eclipse.jetty.") || name.startsWith("dev.millrace.limits.");
        }
    };

    private final Connector connector;

    BlockingContexts(Connector connector) {
        this.connector = connector;
    }

    /** @return whether nothing else of the server may block now: handlers and customizers may come while it runs */
    @ManagedAttribute("Whether nothing outside of contexts may block, so that requests begin in the selector's thread")
    public boolean isOnlyInContexts() {
        // Customizers see a request before the handlers do.
        for (ConnectionFactory factory : connector.getConnectionFactories()) {
            if (factory instanceof HttpConfiguration.ConnectionFactory http
                    && !areOfJetty(http.getHttpConfiguration().getCustomizers())) {
                return false;
            }
        }
        return blocksInContexts(connector.getServer().getHandler());
    }

    private static boolean areOfJetty(List<HttpConfiguration.Customizer> customizers) {
        for (HttpConfiguration.Customizer customizer : customizers) {
            if (!IS_OF_JETTY.get(customizer.getClass())) {
                return false;
            }
        }
        return true;
    }

    private static boolean blocksInContexts(@Nullable Handler handler) {
        if (handler == null || handler instanceof ContextHandler) {
            return true;
        }
        // The type of a router is made of those of its handlers, by another walk: they are asked here.
        if (!ROUTERS.contains(handler.getClass())) {
            return handler.getInvocationType() == Invocable.InvocationType.NON_BLOCKING;
        }
        if (handler instanceof Handler.Singleton router) {
            return blocksInContexts(router.getHandler());
        }
        for (Handler next : ((Handler.Container) handler).getHandlers()) {
            if (!blocksInContexts(next)) {
                return false;
            }
        }
        return true;
    }

    // There is no exitScope(): a thread that has left its selector does not return to it when the scope ends.
    @Override
    public void enterScope(Context context, @Nullable Request request) {
        if (request == null
                || (context instanceof ContextHandler.ScopedContext scoped
                        && scoped.getContextHandler().getInvocationType() == Invocable.InvocationType.NON_BLOCKING)) {
            return;
        }
        EndPoint endPoint = request.getConnectionMetaData().getConnection().getEndPoint();
        if (MillraceEndPoint.socket(endPoint) instanceof MillraceEndPoint socket) {
            socket.leaveSelector();
        }
    }

    @Override
    public String toString() {
        return "BlockingContexts[" + isOnlyInContexts() + "]";
    }
}
