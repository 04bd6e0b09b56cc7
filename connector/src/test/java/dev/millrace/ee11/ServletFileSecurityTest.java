package dev.millrace.ee11;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.files.ServerSendfile;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.GuardedRoot;
import dev.millrace.testing.MixedRequests;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.Servlets;
import dev.millrace.testing.TestServer;
import dev.millrace.xsendfile.XSendfileHandler;
import jakarta.servlet.http.HttpServlet;
import java.nio.file.Path;
import org.eclipse.jetty.ee11.servlet.DefaultServlet;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** What holds for files from handlers holds for those from servlets: nothing from outside of the root, and no mix of answers. */
@ParameterizedClass
@EnumSource(
        value = Connectors.class,
        names = {"NIO", "BIO_PLATFORM"})
class ServletFileSecurityTest {
    @Parameter
    Connectors connectors;

    @TempDir
    Path directory;

    private GuardedRoot root;

    @BeforeEach
    void files() throws Exception {
        root = new GuardedRoot(directory);
    }

    /** Delegates whatever is asked for. */
    private final HttpServlet delegating =
            Servlets.get((request, response) -> response.setHeader("X-Sendfile", root.path() + request.getPathInfo()));

    private ServletContextHandler context() {
        ServletContextHandler context = new ServletContextHandler("/app");
        context.getServletHandler().setDecodeAmbiguousURIs(true);
        ServletHolder files = context.addServlet(SendfileServlet.class, "/files/*");
        files.setInitParameter("baseResource", root.path().toString());
        ServletHolder stock = context.addServlet(DefaultServlet.class, "/");
        stock.setInitParameter("baseResource", root.path().toString());
        stock.setInitOrder(0);
        context.addServlet(new ServletHolder(delegating), "/delegated/*");
        return context;
    }

    private XSendfileHandler handler() {
        XSendfileHandler handler = new XSendfileHandler(context());
        handler.addRoot(root.path().toString());
        return handler;
    }

    private TestServer lenient() {
        HttpConfiguration configuration = new HttpConfiguration();
        configuration.setUriCompliance(UriCompliance.UNSAFE);
        return new TestServer(server -> connectors.on(server, new HttpConnectionFactory(configuration)));
    }

    @Test
    void keepsToTheRoot() throws Exception {
        TestServer server = lenient();
        ServerSendfile sendfile = new ServerSendfile(server.server());
        server.server().addBean(sendfile);
        try (server) {
            server.start(handler());
            for (String prefix : new String[] {"/app/files", "/app", "/app/delegated"}) {
                try (RawClient client = server.client()) {
                    assertEquals(
                            "harmless",
                            client.get(prefix + "/file.txt").answer().text(),
                            prefix);
                }
                root.assertNoWayOut(server, prefix);
            }
            assertEquals(1, sendfile.getFactories(), "that of Jetty's servlet");
        }
    }

    @Test
    void neverMixesAnswers() throws Exception {
        try (TestServer server = new TestServer(connectors::http)) {
            server.start(handler());
            for (String prefix : new String[] {"/app/files", "/app/delegated"}) {
                new MixedRequests(root.path(), prefix).run(server, 50, 10);
            }
        }
    }
}
