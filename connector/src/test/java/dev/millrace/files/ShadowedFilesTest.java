package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.ee11.SendfileServlet;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.BiFunction;
import org.eclipse.jetty.ee11.servlet.ResourceServlet;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.resource.Resource;
import org.eclipse.jetty.util.resource.ResourceFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Of several directories the first that has a file counts, also when it has it later than another. */
class ShadowedFilesTest {
    @TempDir
    Path first;

    @TempDir
    Path second;

    private void assertFollowed(BiFunction<Server, Resource, Handler> serving) throws Exception {
        Files.writeString(second.resolve("a.txt"), "second");
        try (TestServer server = new TestServer(Connectors.NIO::http)) {
            ResourceFactory resources = ResourceFactory.of(server.server());
            Resource base = ResourceFactory.combine(resources.newResource(first), resources.newResource(second));
            server.start(serving.apply(server.server(), base));
            try (RawClient client = server.client()) {
                assertEquals("second", client.get("/a.txt").answer().text());
                Files.writeString(first.resolve("a.txt"), "first");
                assertEquals("first", client.get("/a.txt").answer().text());
                Files.delete(first.resolve("a.txt"));
                assertEquals("second", client.get("/a.txt").answer().text());
            }
        }
    }

    private static Handler context(Resource base, Class<? extends ResourceServlet> servlet) {
        ServletContextHandler context = new ServletContextHandler("/");
        context.setBaseResource(base);
        context.addServlet(servlet, "/");
        return context;
    }

    @Test
    void areThoseOfJettysServlet() throws Exception {
        assertFollowed((server, base) -> context(base, ResourceServlet.class));
    }

    @Test
    void areThoseOfAServerSendfile() throws Exception {
        assertFollowed((server, base) -> {
            server.addBean(new ServerSendfile(server));
            return context(base, ResourceServlet.class);
        });
    }

    @Test
    void areThoseOfOurServlet() throws Exception {
        assertFollowed((server, base) -> context(base, SendfileServlet.class));
    }

    @Test
    void areThoseOfOurHandler() throws Exception {
        assertFollowed((server, base) -> {
            SendfileHandler files = new SendfileHandler();
            files.getSettings().setValidMillis(0);
            files.setBaseResource(base);
            return files;
        });
    }
}
