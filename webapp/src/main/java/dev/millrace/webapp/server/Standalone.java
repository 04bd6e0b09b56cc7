package dev.millrace.webapp.server;

import dev.millrace.ee11.SendfileServlet;
import dev.millrace.monitor.ConnectorMonitor;
import dev.millrace.webapp.ContextAttributes;
import dev.millrace.webapp.SampleFiles;
import dev.millrace.xsendfile.XSendfileHandler;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.eclipse.jetty.ee11.servlet.DefaultServlet;
import org.eclipse.jetty.ee11.servlet.ErrorPageErrorHandler;
import org.eclipse.jetty.ee11.servlet.ResourceServlet;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.ee11.webapp.WebAppContext;
import org.eclipse.jetty.server.CustomRequestLog;
import org.eclipse.jetty.server.RequestLogWriter;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.ContextHandlerCollection;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/**
 * Runs the application on Jetty, with the same WAR as two contexts. That of the BIO and NIO connectors sends files by
 * sendfile, that of the stock connector by Jetty's own servlet. Any thread may close it.
 */
public final class Standalone implements AutoCloseable {
    private static final long STOP_TIMEOUT_MILLIS = 5_000;
    private static final String FILES_SERVLET = "files";

    private final Server server;
    private final List<ServerConnector> connectors;
    private final List<WebAppContext> contexts = new ArrayList<>();

    private Standalone(Path home, Options options, Path files) {
        QueuedThreadPool pool = new QueuedThreadPool(options.number(Option.POOL_THREADS));
        pool.setName("server");
        // By default one idle thread ends in a minute: the 200 of a burst would stay for hours.
        pool.setMaxEvictCount(pool.getMaxThreads());
        server = new Server(pool);
        server.setStopTimeout(STOP_TIMEOUT_MILLIS);
        connectors = Connectors.create(server, options);
        server.addBean(new ConnectorMonitor(server));
        ContextHandlerCollection handlers = new ContextHandlerCollection();
        List<String> millrace = virtualHosts(false);
        if (!millrace.isEmpty()) {
            WebAppContext context = context("millrace", millrace, home, files, SendfileServlet.class);
            context.getServletHandler()
                    .getServlet(FILES_SERVLET)
                    .setInitParameter("maxCacheSize", options.text(Option.CONTENT_CACHE));
            context.setAttribute(ContextAttributes.SENDFILE, true);
            XSendfileHandler xSendfile = new XSendfileHandler(context);
            xSendfile.addRoot(files.toString());
            xSendfile.getSettings().setMaxCacheBytes(options.number(Option.CONTENT_CACHE));
            handlers.addHandler(xSendfile);
        }
        List<String> stock = virtualHosts(true);
        if (!stock.isEmpty()) {
            handlers.addHandler(context("stock", stock, home, files, ResourceServlet.class));
        }
        server.setHandler(handlers);
        server.setErrorHandler(new ProblemErrorHandler());
        if (options.has(Option.ACCESS_LOG)) {
            // Jetty's asynchronous writer would lose the lines that it has not written when the server stops.
            server.setRequestLog(new CustomRequestLog(
                    new RequestLogWriter(options.text(Option.ACCESS_LOG)),
                    CustomRequestLog.EXTENDED_NCSA_FORMAT + " %{local}p %{us}T"));
        }
    }

    /**
     * Starts the server, and prints one line per connector when all of them are ready. It ends the JVM after {@code
     * --help} and {@code --version} (0), for a wrong option (2), and when the server cannot start (1).
     *
     * @param home a private folder with the unpacked WAR in {@code webapp}; the caller removes it after the stop
     * @param args the command line
     * @param ending whether the JVM is shutting down, so that the folder is being removed
     * @return the running server; closing it waits up to 5 s for requests under way
     */
    public static AutoCloseable start(Path home, String[] args, BooleanSupplier ending) {
        try {
            Options options = Options.parse(args);
            Optional<String> information = options.information();
            if (information.isEmpty()) {
                return start(home, options);
            }
            System.out.print(information.get());
            System.exit(0);
        } catch (UsageException e) {
            System.err.println("millrace: " + e.getMessage());
            System.exit(2);
        } catch (Exception e) {
            if (ending.getAsBoolean()) {
                throw new IllegalStateException("the JVM ends", e);
            }
            System.err.println("millrace: could not start: " + reason(e));
            System.exit(1);
        }
        throw new IllegalStateException("the JVM has ended");
    }

    private static Standalone start(Path home, Options options) throws Exception {
        Path files = options.has(Option.FILES)
                ? Path.of(options.text(Option.FILES))
                : Files.createDirectory(home.resolve("files"));
        // Writing 122 MB takes about as long as starting Jetty.
        CompletableFuture<Void> written = CompletableFuture.runAsync(() -> {
            if (!options.has(Option.FILES)) {
                writeSamples(files);
            }
        });
        Standalone standalone = new Standalone(home, options, files.toRealPath());
        standalone.server.start();
        written.join();
        for (ServerConnector connector : standalone.connectors) {
            System.out.println(connector.getName() + " listening on " + Connectors.url(connector));
        }
        return standalone;
    }

    private static void writeSamples(Path files) {
        try {
            SampleFiles.write(files);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String reason(Throwable e) {
        Throwable cause = e;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        String reason = e.getMessage() == null ? e.toString() : e.getMessage();
        if (cause != e && cause.getMessage() != null && !reason.contains(cause.getMessage())) {
            reason += ": " + cause.getMessage();
        }
        return reason.replaceAll("\\R", " ");
    }

    /** The names of Jetty's own connector, or of the others, in the form of a context's virtual hosts. */
    private List<String> virtualHosts(boolean stock) {
        return connectors.stream()
                .map(ServerConnector::getName)
                .filter(name -> name.equals(Connectors.Kind.STOCK.name()) == stock)
                .map(name -> "@" + name)
                .toList();
    }

    private WebAppContext context(
            String name,
            List<String> virtualHosts,
            Path home,
            Path files,
            Class<? extends ResourceServlet> filesServlet) {
        // The application needs neither sessions nor security, each of which adds a handler to every request.
        WebAppContext context = new WebAppContext("/", null, null, null, new AllMethods(), 0);
        context.setDisplayName(name);
        context.setVirtualHosts(virtualHosts);
        context.setWar(home.resolve("webapp").toString());
        context.setTempDirectory(home.resolve("tmp-" + name).toFile());
        context.setAttribute(ContextAttributes.FILES, files);
        // The two servlets below replace webdefault.xml, whose JSP, locales and session settings are not needed.
        context.setDefaultsDescriptor(null);
        context.addServlet(new ServletHolder("default", DefaultServlet.class), "/");
        context.addServlet(files(filesServlet, files), "/files/*");
        contexts.add(context);
        return context;
    }

    /** Jetty explains errors to GET, HEAD and POST alone, unless told otherwise. */
    private static final class AllMethods extends ErrorPageErrorHandler {
        @Override
        public boolean errorPageForMethod(String method) {
            return true;
        }
    }

    private static ServletHolder files(Class<? extends ResourceServlet> type, Path files) {
        ServletHolder servlet = new ServletHolder(FILES_SERVLET, type);
        servlet.setInitParameter("baseResource", files.toUri().toString());
        servlet.setInitParameter("dirAllowed", "false");
        servlet.setInitParameter("etags", "true");
        servlet.setAsyncSupported(true);
        return servlet;
    }

    /** Stops accepting, waits up to 5 s for requests under way, and ends all threads. */
    @Override
    public void close() throws Exception {
        for (WebAppContext context : contexts) {
            Object ending = context.getServletContext().getAttribute(ContextAttributes.END_STREAMS);
            if (ending instanceof Supplier<?> streams && streams.get() instanceof CompletableFuture<?> ended) {
                ended.completeOnTimeout(null, STOP_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)
                        .join();
            }
        }
        server.stop();
    }
}
