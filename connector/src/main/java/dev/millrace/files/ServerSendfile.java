package dev.millrace.files;

import dev.millrace.jetty.HandlersListener;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.WeakHashMap;
import org.eclipse.jetty.http.content.FileMappingHttpContentFactory;
import org.eclipse.jetty.http.content.HttpContent;
import org.eclipse.jetty.http.content.PreCompressedHttpContentFactory;
import org.eclipse.jetty.http.content.ResourceHttpContentFactory;
import org.eclipse.jetty.http.content.ValidatingCachingHttpContentFactory;
import org.eclipse.jetty.http.content.VirtualHttpContentFactory;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.server.ResourceService;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.handler.ContextHandler;
import org.eclipse.jetty.util.annotation.ManagedAttribute;
import org.eclipse.jetty.util.annotation.ManagedObject;
import org.eclipse.jetty.util.annotation.Name;
import org.eclipse.jetty.util.component.Container;
import org.eclipse.jetty.util.component.ContainerLifeCycle;
import org.eclipse.jetty.util.component.DumpableCollection;
import org.eclipse.jetty.util.component.DumpableMap;
import org.eclipse.jetty.util.component.LifeCycle;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts sendfile behind everything on a server that serves files by Jetty's own means. That is each
 * {@code DefaultServlet} and {@code ResourceServlet} of the ee10 and ee11 environments, each {@code ResourceHandler}, of
 * applications that are deployed already, and of those to come. The applications stay as they are.
 *
 * <pre>{@code
 * server.addBean(new ServerSendfile(server));
 * }</pre>
 *
 * <p>Each servlet and handler gets a {@link SendfileContentFactory} of its own, in place of Jetty's caching and mapping
 * of files. Base resource, style sheet and pre-compressed formats stay its own. One that was given a factory of another
 * kind keeps it. Add it before the server starts. Thread-safe.
 */
@ManagedObject("Sendfile for all file servlets and handlers of a server")
public final class ServerSendfile extends ContainerLifeCycle implements HandlersListener {
    /** Contexts have an attribute of this name, {@code true}: their files go by the kernel where that is possible. */
    public static final String CONTEXT_ATTRIBUTE = "dev.millrace.sendfile";

    private static final Logger LOG = LoggerFactory.getLogger(ServerSendfile.class);

    private final Server server;
    private final SendfileSettings settings = new SendfileSettings();
    /** Weak, because a context that is undeployed need not tell. */
    private final Set<SendfileContentFactory> factories =
            Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

    /** @param server whose scheduler and threads look after open files */
    public ServerSendfile(@Name("server") Server server) {
        this.server = server;
        installBean(settings);
    }

    /**
     * @return the settings of all these servlets and handlers. Those of ranges have no effect: Jetty's own servlets keep to
     *     Jetty's rules
     */
    public SendfileSettings getSettings() {
        return settings;
    }

    /**
     * Sets {@link SendfileSettings#setLargePages} of the settings.
     *
     * @param directory on a hugetlbfs mount
     */
    public void setLargePages(String directory) {
        settings.setLargePages(Path.of(directory));
    }

    @ManagedAttribute("Servlets and handlers whose files go by the kernel")
    public int getFactories() {
        return factories().size();
    }

    @ManagedAttribute("Responses whose content went by the kernel")
    public long getTransfers() {
        return factories().stream()
                .mapToLong(SendfileContentFactory::getTransfers)
                .sum();
    }

    @ManagedAttribute("How often which obstacle made content go by a copy")
    public Map<String, Long> getObstacles() {
        Map<String, Long> sums = new TreeMap<>();
        for (Obstacle obstacle : Obstacle.values()) {
            sums.put(obstacle.name(), 0L);
        }
        for (SendfileContentFactory factory : factories()) {
            factory.getObstacles().forEach((name, count) -> sums.merge(name, count, Long::sum));
        }
        return sums;
    }

    private List<SendfileContentFactory> factories() {
        synchronized (factories) {
            return List.copyOf(factories);
        }
    }

    @Override
    public void beanAdded(Container parent, Object child) {
        HandlersListener.super.beanAdded(parent, child);
        if (child instanceof ContextHandler context) {
            context.setAttribute(CONTEXT_ATTRIBUTE, true);
            context.addEventListener(HoldingContentFactory.SCOPE);
        } else if (child instanceof ResourceService service) {
            // The service must not manage this, which starts and stops with the server.
            Container.addBean(service, this, false);
        } else if (parent instanceof ResourceService service
                && child instanceof HttpContent.Factory found
                && found instanceof LifeCycle life
                && service.getHttpContentFactory() == found) {
            Origin origin = Origin.of(found);
            if (origin == null) {
                LOG.debug("Leaving {} as it is", found);
            } else if (life.isStarted()) {
                // Jetty's deployer has started its context before this listener was told of it.
                replace(service, origin);
            } else {
                // Replaced later: other listeners, JMX among them, are yet to be told of what would be gone by then.
                life.addEventListener(new LifeCycle.Listener() {
                    @Override
                    public void lifeCycleStarted(LifeCycle started) {
                        if (service.getHttpContentFactory() == found) {
                            replace(service, origin);
                        }
                    }
                });
            }
        }
    }

    private void replace(ResourceService service, Origin origin) {
        SendfileContentFactory files = new SendfileContentFactory(origin.factory(server), settings);
        files.setServer(server);
        // The service's list: it may be filled after this.
        service.setHttpContentFactory(new HoldingContentFactory(files, service.getPrecompressedFormats()));
        factories.add(files);
    }

    @Override
    public void beanRemoved(Container parent, Object child) {
        HandlersListener.super.beanRemoved(parent, child);
        if (child instanceof ContextHandler context) {
            // The scope stays: Jetty would not tell it of the end of a request that is in the context now.
            context.removeAttribute(CONTEXT_ATTRIBUTE);
        } else if (child instanceof ResourceService service) {
            Container.removeBean(service, this);
        } else if (parent instanceof ResourceService && child instanceof ContainerLifeCycle outer) {
            factories.remove(outer.getBean(SendfileContentFactory.class));
        }
    }

    /**
     * What a chain of Jetty's own factories comes from.
     *
     * @param files finds the files
     * @param styleSheet serves a style sheet besides; null when there is none
     */
    private record Origin(
            ResourceHttpContentFactory files, @Nullable VirtualHttpContentFactory styleSheet) {
        private static final Set<Class<?>> AROUND = Set.of(
                PreCompressedHttpContentFactory.class,
                ValidatingCachingHttpContentFactory.class,
                FileMappingHttpContentFactory.class,
                VirtualHttpContentFactory.class);

        /** @return null when something in the chain is not Jetty's own, and may change the content */
        static @Nullable Origin of(HttpContent.Factory outermost) {
            VirtualHttpContentFactory styleSheet = null;
            HttpContent.Factory current = outermost;
            while (current != null && AROUND.contains(current.getClass())) {
                if (current instanceof VirtualHttpContentFactory found) {
                    styleSheet = found;
                }
                current = ((ContainerLifeCycle) current).getBean(HttpContent.Factory.class);
            }
            return current != null && current.getClass() == ResourceHttpContentFactory.class
                    ? new Origin((ResourceHttpContentFactory) current, styleSheet)
                    : null;
        }

        /** Leaves out Jetty's mapping and caching, which would read or hold each file that the kernel sends. */
        HttpContent.Factory factory(Server server) {
            return styleSheet == null
                    ? files
                    : new VirtualHttpContentFactory(
                            files,
                            styleSheet.getResource(),
                            styleSheet.getContentType(),
                            new ByteBufferPool.Sized(server.getByteBufferPool()));
        }
    }

    @Override
    public void dump(Appendable out, String indent) throws IOException {
        dumpObjects(
                out,
                indent,
                new DumpableCollection("factories", factories()),
                new DumpableMap("obstacles", getObstacles()));
    }

    @Override
    public String toString() {
        return "ServerSendfile[factories=" + getFactories() + ",transfers=" + getTransfers() + "]";
    }
}
