package dev.millrace.webapp.server;

import dev.millrace.connector.ListenerFigures;
import dev.millrace.ee11.SendfileServlet;
import dev.millrace.files.XSendfileHandler;
import dev.millrace.webapp.Attributes;
import dev.millrace.webapp.SampleFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.eclipse.jetty.ee11.servlet.DefaultServlet;
import org.eclipse.jetty.ee11.servlet.ErrorPageErrorHandler;
import org.eclipse.jetty.ee11.servlet.ResourceServlet;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.ee11.webapp.WebAppContext;
import org.eclipse.jetty.server.CustomRequestLog;
import org.eclipse.jetty.server.RequestLogWriter;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.handler.ContextHandlerCollection;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/**
 * Runs the application on Jetty: the same WAR as two contexts, one for the BIO and NIO listeners with files by
 * sendfile, one for the stock listener with files by Jetty's own servlet.
 */
public final class Standalone implements AutoCloseable {
    private static final long STOP_TIMEOUT_MILLIS = 5_000;
    private static final String FILES_SERVLET = "files";

    private final Server server;
    private final List<Listener> listeners;
    private final AtomicBoolean stopping = new AtomicBoolean();

    private Standalone(Path home, Options options, Path files) {
        QueuedThreadPool pool = new QueuedThreadPool(options.number(Option.POOL_THREADS));
        pool.setName("server");
        server = new Server(pool);
        server.setStopTimeout(STOP_TIMEOUT_MILLIS);
        listeners = Listener.create(server, options);
        server.addBean(new ListenerFigures(server));
        ContextHandlerCollection contexts = new ContextHandlerCollection();
        List<String> ours = virtualHosts(false);
        if (!ours.isEmpty()) {
            WebAppContext context = context("millrace", ours, home, files, SendfileServlet.class);
            context.getServletHandler().getServlet(FILES_SERVLET)
                .setInitParameter("maxCacheSize", options.text(Option.CONTENT_CACHE));
            context.setAttribute(Attributes.SENDFILE, true);
            XSendfileHandler xSendfile = new XSendfileHandler(context);
            xSendfile.addRoot(files.toString());
            contexts.addHandler(xSendfile);
        }
        List<String> stock = virtualHosts(true);
        if (!stock.isEmpty()) {
            contexts.addHandler(context("stock", stock, home, files, ResourceServlet.class));
        }
        server.setHandler(contexts);
        if (options.has(Option.ACCESS_LOG)) {
            // Jetty's asynchronous writer would drop the lines that it has not written when the server stops.
            server.setRequestLog(new CustomRequestLog(new RequestLogWriter(options.text(Option.ACCESS_LOG)),
                CustomRequestLog.EXTENDED_NCSA_FORMAT + " %{local}p %{us}T"));
        }
    }

    /**
     * Starts the server as the command line says, and prints one line per listener when all of them are ready. Ends
     * the JVM on {@code --help} and {@code --version} (0), a wrong option (2), or when the server cannot start (1).
     *
     * @param home a private folder with the unpacked WAR in {@code webapp}; removed by the caller after the stop
     * @param args the command line
     * @param ending whether the JVM ends already, so that the folder is being removed
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
        Path files = options.has(Option.FILES) ? Path.of(options.text(Option.FILES))
            : Files.createDirectory(home.resolve("files"));
        // Writing 122 MB and starting Jetty take about as long as each other.
        CompletableFuture<Void> written = CompletableFuture.runAsync(() -> {
            if (!options.has(Option.FILES)) {
                writeSamples(files);
            }
        });
        Standalone standalone = new Standalone(home, options, files.toRealPath());
        standalone.server.start();
        written.join();
        for (Listener listener : standalone.listeners) {
            System.out.println(listener.kind() + " listening on " + listener.url());
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

    private List<String> virtualHosts(boolean stock) {
        return listeners.stream().filter(listener -> listener.kind() == Listener.Kind.STOCK == stock)
            .map(Listener::virtualHost).toList();
    }

    private WebAppContext context(String name, List<String> virtualHosts, Path home, Path files,
        Class<? extends ResourceServlet> filesServlet) {
        // No sessions and no security: the application has neither, and each would cost every request a handler.
        WebAppContext context = new WebAppContext("/", null, null, null, new ErrorPageErrorHandler(), 0);
        context.setDisplayName(name);
        context.setVirtualHosts(virtualHosts);
        context.setWar(home.resolve("webapp").toString());
        context.setTempDirectory(home.resolve("tmp-" + name).toFile());
        context.setAttribute(Attributes.FILES, files);
        context.setAttribute(Attributes.STOPPING, (BooleanSupplier) stopping::get);
        // In place of webdefault.xml, whose JSP, locales and session settings nothing here needs.
        context.setDefaultsDescriptor(null);
        context.addServlet(new ServletHolder("default", DefaultServlet.class), "/");
        context.addServlet(files(filesServlet, files), "/files/*");
        return context;
    }

    private static ServletHolder files(Class<? extends ResourceServlet> type, Path files) {
        ServletHolder servlet = new ServletHolder(FILES_SERVLET, type);
        servlet.setInitParameter("baseResource", files.toUri().toString());
        servlet.setInitParameter("dirAllowed", "false");
        servlet.setInitParameter("etags", "true");
        servlet.setAsyncSupported(true);
        return servlet;
    }

    /** Stops accepting, lets requests under way finish for up to 5 s, and ends all threads. */
    @Override
    public void close() throws Exception {
        stopping.set(true);
        server.stop();
    }
}
