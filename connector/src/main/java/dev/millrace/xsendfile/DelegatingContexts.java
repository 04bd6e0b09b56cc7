package dev.millrace.xsendfile;

import dev.millrace.jetty.HandlersListener;
import dev.millrace.jetty.JettyInternals;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.server.Context;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.handler.ContextHandler;
import org.eclipse.jetty.util.annotation.ManagedAttribute;
import org.eclipse.jetty.util.annotation.ManagedObject;
import org.eclipse.jetty.util.component.Container;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the contexts below a handler may have sent, and which of them, or which proxy, an answer comes from. Tells each context
 * which files it may name. As an inherited listener it is one of each context, too, and hears of each request that enters.
 * Thread-safe.
 *
 * <p>Public for JMX alone; an {@link XSendfileHandler} makes its own.
 */
@ManagedObject("What contexts may have sent")
public final class DelegatingContexts
        implements HandlersListener, Container.InheritedListener, ContextHandler.ContextScopeListener {
    /** See {@link XSendfileHandler#CONTEXT_ATTRIBUTE}. */
    static final String CONTEXT_ATTRIBUTE = "dev.millrace.xsendfile";

    private static final Logger LOG = LoggerFactory.getLogger(DelegatingContexts.class);
    /** Known by its name: a server need not have jetty-proxy. */
    private static final String PROXY = "org.eclipse.jetty.proxy.ProxyHandler";

    private static final String CLIENT = "org.eclipse.jetty.client.HttpClient";

    private final DelegatedRoots common;
    private final Map<String, DelegatedRoots> rootsByPath = new ConcurrentHashMap<>();
    /** Requests have one of this name, an {@link AnswerOrigin}, once there is something to tell apart. */
    private final String attribute =
            AnswerOrigin.class.getName() + "@" + Integer.toHexString(System.identityHashCode(this));

    private final Settings settings;

    private volatile boolean hasProxy;
    /** Whether a proxy's answers cannot be told from others. */
    private volatile boolean isBlind;

    private final AtomicBoolean hasWarnedOfProxied = new AtomicBoolean();

    /** Settings of the handler, which says what they mean. They may change at any time. */
    interface Settings {
        boolean isEnabled();

        boolean isFieldsRead();

        boolean isAttributeRead();

        boolean isProxied();
    }

    /** @param common what all contexts may have sent */
    DelegatingContexts(DelegatedRoots common, Settings settings) {
        this.common = common;
        this.settings = settings;
    }

    @ManagedAttribute("Directories from which all applications may have files sent, and their mappings")
    public String getCommonRoots() {
        return common.toString();
    }

    @ManagedAttribute("Contexts that have directories of their own, with these")
    public List<String> getContextRoots() {
        return rootsByPath.entrySet().stream().map(Map.Entry::toString).sorted().toList();
    }

    /** @return the roots that the contexts of a path have besides the common ones, made when they are first asked for */
    DelegatedRoots withPath(String contextPath) {
        if (!contextPath.startsWith("/") || (contextPath.length() > 1 && contextPath.endsWith("/"))) {
            throw new IllegalArgumentException(
                    "a context path begins with a slash, and ends with none: " + contextPath);
        }
        return rootsByPath.computeIfAbsent(contextPath, path -> new DelegatedRoots(common));
    }

    /** Warns of roots that are missing: what applications name below them is answered 404. */
    void warnOfMissing() {
        if (!settings.isEnabled()) {
            return;
        }
        if (settings.isFieldsRead() && common.isEmpty() && rootsByPath.isEmpty()) {
            LOG.warn("No roots and no mappings: every file that an application names will be answered 404");
        }
        common.warnOfMissing();
        rootsByPath.values().forEach(DelegatedRoots::warnOfMissing);
    }

    /**
     * Takes our fields out of an answer.
     *
     * @param origin where it comes from; null when all answers are the same
     * @param request whose attribute may name the file instead
     * @return what it names; null when it names nothing, or may not
     */
    @Nullable DelegatedFile take(@Nullable AnswerOrigin origin, Request request, HttpFields.Mutable headers) {
        if (settings.isAttributeRead() && request.getAttribute(DelegatedFile.ATTRIBUTE) instanceof Path file) {
            return DelegatedFile.trusted(file);
        }
        if (!settings.isFieldsRead()) {
            return null;
        }
        boolean isEnabled = settings.isEnabled();
        if (isEnabled && (settings.isProxied() || origin == null || !origin.isProxied())) {
            return DelegatedFile.take(headers, of(origin), origin != null && origin.isProxied());
        }
        if (isEnabled && DelegatedFile.isIn(headers) && hasWarnedOfProxied.compareAndSet(false, true)) {
            LOG.warn(
                    "Not sending what another server names in an answer that a proxy has fetched; not said again: see setProxied");
        }
        DelegatedFile.strip(headers);
        return null;
    }

    /** Takes our fields out of an answer that names nothing by them. */
    void strip(HttpFields.Mutable headers) {
        if (settings.isFieldsRead()) {
            DelegatedFile.strip(headers);
        }
    }

    private DelegatedRoots of(@Nullable AnswerOrigin origin) {
        ContextHandler context = origin == null ? null : origin.context();
        return context == null ? common : of(context);
    }

    private DelegatedRoots of(ContextHandler context) {
        return rootsByPath.getOrDefault(context.getContextPath(), common);
    }

    /** @return what will know where the answer to a request comes from; null when all answers are the same */
    @Nullable AnswerOrigin follow(Request request) {
        if (!isFollowing()) {
            return null;
        }
        AnswerOrigin origin = new AnswerOrigin(isBlind);
        request.setAttribute(attribute, origin);
        return origin;
    }

    /** Whether answers must be told apart: by their contexts, or by a proxy. Once it is so it stays so. */
    private boolean isFollowing() {
        return hasProxy || !rootsByPath.isEmpty();
    }

    @Override
    public void enterScope(Context context, Request request) {
        if (request != null
                && isFollowing()
                && request.getAttribute(attribute) instanceof AnswerOrigin origin
                && context instanceof ContextHandler.ScopedContext scoped) {
            origin.enter(scoped.getContextHandler());
        }
    }

    @Override
    public void exitScope(Context context, Request request) {
        if (request != null && isFollowing() && request.getAttribute(attribute) instanceof AnswerOrigin origin) {
            origin.exit();
        }
    }

    @Override
    public void beanAdded(Container parent, Object child) {
        if (child instanceof ContextHandler context) {
            Predicate<Path> accepted = file -> settings.isEnabled()
                    && settings.isFieldsRead()
                    && of(context).allows(file);
            context.setAttribute(CONTEXT_ATTRIBUTE, accepted);
        } else if (JettyInternals.classOf(child, CLIENT) != null) {
            follow(child, parent, JettyInternals.classOf(parent, PROXY));
        }
        HandlersListener.super.beanAdded(parent, child);
    }

    private void follow(Object client, Container parent, @Nullable Class<?> proxy) {
        if (proxy == null) {
            return;
        }
        hasProxy = true;
        try {
            ProxiedRequests.follow(client, proxy, attribute);
        } catch (ClassCastException | LinkageError x) {
            isBlind = true;
            LOG.warn("No way to tell what {} has fetched: all answers count as proxied, from now on", parent, x);
        }
    }

    @Override
    public void beanRemoved(Container parent, Object child) {
        if (child instanceof ContextHandler context) {
            context.removeAttribute(CONTEXT_ATTRIBUTE);
        }
        HandlersListener.super.beanRemoved(parent, child);
    }

    @Override
    public String toString() {
        return "DelegatingContexts[" + common + "," + rootsByPath + "]";
    }
}
