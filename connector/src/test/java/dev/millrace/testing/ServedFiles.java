package dev.millrace.testing;

import dev.millrace.files.SendfileHandler;
import dev.millrace.files.ServerSendfile;
import dev.millrace.limits.ConnectionSweeper;
import dev.millrace.xsendfile.XSendfileHandler;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.jetty.ee11.servlet.DefaultServlet;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.proxy.ProxyHandler;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.ContextHandler;
import org.eclipse.jetty.server.handler.EventsHandler;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/**
 * A server in a process of its own, which {@link ServerProcess} starts: all connectors over the same mounts, each argument a directory
 * below its number, and {@code /hello}. At {@code /exhaust} it opens files until it may not any more, and at {@code /exhaust?looks} waits
 * until each connector has looked at its connections twice since. Prints the port of each connector,
 * and ends with its input.
 */
public final class ServedFiles {
    public static final String HELLO = "Hello, world!";
    /** System property: the file that {@link Tls#store} wrote. */
    public static final String KEYS = "served.keys";
    /** System property: true or false. */
    public static final String HTTP2 = "served.http2";
    /** System property: true where a servlet of Jetty's serves the first directory below {@code /servlet}. */
    public static final String SERVLET = "served.servlet";
    /** System property: true where an EventsHandler stands before each directory. */
    public static final String EVENTS = "served.events";
    /**
     * System property: true where {@code /naming} names files of the first directory, and {@code /proxied} has what is answered
     * there, by a proxy below an {@link XSendfileHandler} of the same directory.
     */
    public static final String PROXY = "served.proxy";

    private ServedFiles() {}

    private static final class Hello extends Handler.Abstract.NonBlocking {
        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            if (!Request.getPathInContext(request).equals("/hello")) {
                return false;
            }
            Content.Sink.write(response, true, HELLO, callback);
            return true;
        }
    }

    /** Takes all descriptors that are left. */
    private static final class Hoard extends Handler.Abstract {
        private final List<FileInputStream> files = new ArrayList<>();

        private Hoard() {
            // Loads what waits later, when there is no descriptor for it.
            Await.until("loaded", () -> true);
        }

        private void awaitLooks() {
            for (Connector connector : getServer().getConnectors()) {
                ConnectionSweeper sweeper = ((ServerConnector) connector).getBean(ConnectionSweeper.class);
                if (sweeper != null) {
                    long enough = sweeper.getLooks() + 2;
                    Await.until("two looks", () -> sweeper.getLooks() >= enough);
                }
            }
        }

        @Override
        public synchronized boolean handle(Request request, Response response, Callback callback) {
            if (!Request.getPathInContext(request).equals("/exhaust")) {
                return false;
            }
            try {
                while (true) {
                    files.add(new FileInputStream("/dev/null"));
                }
            } catch (IOException exhausted) {
                if (request.getHttpURI().getQuery() != null) {
                    awaitLooks();
                }
                Content.Sink.write(response, true, "That was the last one.", callback);
            }
            return true;
        }
    }

    /** Takes its number from the path, as a context would, but has no alias checks. */
    private static final class Mount extends Handler.Wrapper {
        private final String prefix;

        private Mount(int number, String directory) {
            prefix = "/" + number;
            SendfileHandler files = new SendfileHandler();
            files.setBaseResourceAsString(directory);
            files.getSettings().setDebugHeader(true);
            // Each is to come from its file.
            files.getSettings().setMaxCacheBytes(0);
            setHandler(files);
        }

        @Override
        public boolean handle(Request request, Response response, Callback callback) throws Exception {
            String path = Request.getPathInContext(request);
            if (!path.startsWith(prefix + "/")) {
                return false;
            }
            HttpURI uri = HttpURI.build(request.getHttpURI()).path(path.substring(prefix.length()));
            return super.handle(Request.serveAs(request, uri), response, callback);
        }
    }

    /** Loaded only where there is a servlet. */
    private static final class ByServlet {
        private static Handler of(Server server, String directory) {
            ServerSendfile sendfile = new ServerSendfile(server);
            sendfile.getSettings().setDebugHeader(true);
            server.addBean(sendfile);
            ServletContextHandler context = new ServletContextHandler("/servlet");
            context.setBaseResourceAsPath(Path.of(directory));
            context.addServlet(DefaultServlet.class, "/");
            return context;
        }
    }

    /** Loaded only where there is a proxy. */
    private static final class ByProxy {
        private static Handler of(Server server, String directory) {
            ContextHandler naming = new ContextHandler(Handlers.naming(() -> Path.of(directory)), "/naming");
            ProxyHandler proxy = new ProxyHandler.Reverse(request -> {
                int port = ((ServerConnector) server.getConnectors()[0]).getLocalPort();
                return HttpURI.build(
                        "http://127.0.0.1:" + port + naming.getContextPath() + Request.getPathInContext(request));
            });
            XSendfileHandler sending = new XSendfileHandler(new ContextHandler(proxy, "/proxied"));
            sending.addRoot(directory);
            return new Handler.Sequence(naming, sending);
        }
    }

    private static ServerConnector connector(Connectors connectors, Server server) throws Exception {
        String keys = System.getProperty(KEYS);
        if (keys != null) {
            return connectors.https(server, Tls.stored(Path.of(keys)));
        }
        return Boolean.getBoolean(HTTP2) ? connectors.httpAndHttp2(server) : connectors.http(server);
    }

    public static void main(String[] directories) throws Exception {
        Server server = new Server(new QueuedThreadPool());
        for (Connectors connectors : Connectors.all().toList()) {
            ServerConnector connector = connector(connectors, server);
            connector.setName(connectors.name());
            connector.setHost("127.0.0.1");
            server.addConnector(connector);
        }
        List<Handler> handlers = new ArrayList<>();
        for (int i = 0; i < directories.length; i++) {
            Handler mount = new Mount(i, directories[i]);
            handlers.add(Boolean.getBoolean(EVENTS) ? new EventsHandler(mount) {} : mount);
        }
        if (Boolean.getBoolean(SERVLET)) {
            handlers.add(ByServlet.of(server, directories[0]));
        }
        if (Boolean.getBoolean(PROXY)) {
            handlers.add(ByProxy.of(server, directories[0]));
        }
        handlers.add(new Hello());
        handlers.add(new Hoard());
        server.setHandler(new Handler.Sequence(handlers));
        server.start();
        for (Connector connector : server.getConnectors()) {
            System.out.println(connector.getName() + " " + ((ServerConnector) connector).getLocalPort());
        }
        System.out.println();
        // Until the test lets go of it.
        System.in.read();
        server.stop();
        System.exit(0);
    }
}
