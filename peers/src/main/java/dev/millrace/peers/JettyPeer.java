package dev.millrace.peers;

import dev.millrace.ee11.SendfileServlet;
import dev.millrace.files.SendfileContentFactory;
import dev.millrace.files.SendfileHandler;
import dev.millrace.uuid.UuidServlet;
import jakarta.servlet.Servlet;
import java.nio.file.Path;
import org.eclipse.jetty.ee11.servlet.DefaultServlet;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.http.MimeTypes;
import org.eclipse.jetty.http.content.HttpContent;
import org.eclipse.jetty.http.content.ResourceHttpContentFactory;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.ContextHandler;
import org.eclipse.jetty.server.handler.ContextHandlerCollection;
import org.eclipse.jetty.server.handler.ResourceHandler;
import org.eclipse.jetty.util.resource.ResourceFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** Jetty, with its own file serving or ours, on its own connector or ours. */
final class JettyPeer implements Peer {
    /**
     * What serves the files. The contexts are alike, so that pairs can be compared. One has no application beside it,
     * and is named alone.
     */
    enum Files {
        RESOURCE_HANDLER,
        DEFAULT_SERVLET,
        SENDFILE_HANDLER,
        SENDFILE_HANDLER_ALONE,
        SENDFILE_SERVLET,
        ACCELERATED_DEFAULT_SERVLET
    }

    private static final int MAX_THREADS = 200;

    private final Files files;
    private Server server;

    JettyPeer(Files files) {
        this.files = files;
    }

    @Override
    public int start(Settings settings) throws Exception {
        server = new Server(new QueuedThreadPool(settings.maxThreads() == 0 ? MAX_THREADS : settings.maxThreads()));
        boolean jettys = files == Files.RESOURCE_HANDLER || files == Files.DEFAULT_SERVLET;
        ServerConnector connector = settings.connector()
                .connector(server, jettys ? ConnectorSettings.Kind.stock : ConnectorSettings.Kind.nio);
        connector.setHost("127.0.0.1");
        connector.setPort(settings.port());
        connector.setAcceptQueueSize(BACKLOG);
        connector.setIdleTimeout(IDLE_TIMEOUT.toMillis());
        server.addConnector(connector);
        server.setHandler(
                files == Files.SENDFILE_HANDLER_ALONE
                        ? files(settings)
                        : new ContextHandlerCollection(application(), files(settings)));
        server.start();
        return connector.getLocalPort();
    }

    private static ServletContextHandler application() {
        ServletContextHandler application = new ServletContextHandler("/");
        application.addServlet(new ServletHolder(new HelloServlet()), "/hello");
        application.addServlet(UuidServlet.class, "/generate-uuid");
        return application;
    }

    private ContextHandler files(Settings settings) {
        Path directory = settings.directory();
        return switch (files) {
            case RESOURCE_HANDLER -> handler(new ResourceHandler(), directory);
            case SENDFILE_HANDLER, SENDFILE_HANDLER_ALONE -> {
                SendfileHandler handler = new SendfileHandler();
                settings.connector().apply(handler.getSettings());
                yield handler(handler, directory);
            }
            case DEFAULT_SERVLET -> servlet(new DefaultServlet(), directory);
            case SENDFILE_SERVLET -> {
                ServletContextHandler context = servlet(new SendfileServlet(), directory);
                settings.connector().apply(context.getServletHandler().getServlet("default"));
                yield context;
            }
            case ACCELERATED_DEFAULT_SERVLET -> {
                ServletContextHandler context = servlet(new DefaultServlet(), directory);
                HttpContent.Factory found = new ResourceHttpContentFactory(
                        ResourceFactory.of(context).newResource(directory),
                        new MimeTypes.Mutable(),
                        new ByteBufferPool.Sized(server.getByteBufferPool()));
                SendfileContentFactory sendfile = new SendfileContentFactory(found);
                settings.connector().apply(sendfile.getSettings());
                context.setAttribute(HttpContent.Factory.class.getName(), sendfile);
                yield context;
            }
        };
    }

    private static ContextHandler handler(ResourceHandler handler, Path directory) {
        handler.setDirAllowed(false);
        ContextHandler context = new ContextHandler(handler, "/files");
        context.setBaseResourceAsPath(directory);
        return context;
    }

    private static ServletContextHandler servlet(Servlet servlet, Path directory) {
        ServletContextHandler context = new ServletContextHandler("/files");
        context.setBaseResourceAsPath(directory);
        ServletHolder holder = new ServletHolder("default", servlet);
        holder.setInitParameter("dirAllowed", "false");
        context.addServlet(holder, "/");
        return context;
    }

    @Override
    public void stop() throws Exception {
        server.stop();
    }
}
