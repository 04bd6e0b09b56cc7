package dev.millrace.ee11;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.files.SendfileSettings;
import dev.millrace.files.ServerSendfile;
import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.RawClient.Answer;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.management.Attribute;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import org.eclipse.jetty.ee11.servlet.DefaultServlet;
import org.eclipse.jetty.ee11.servlet.ResourceServlet;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.http.content.HttpContent;
import org.eclipse.jetty.http.content.ResourceHttpContentFactory;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.jmx.MBeanContainer;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.LowResourceMonitor;
import org.eclipse.jetty.server.handler.ContextHandler;
import org.eclipse.jetty.server.handler.ContextHandlerCollection;
import org.eclipse.jetty.server.handler.GracefulHandler;
import org.eclipse.jetty.server.handler.ResourceHandler;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sendfile for whatever serves files on a server, unchanged. */
class ServerSendfileTest {
    private static final int BYTES = 2_000_000;

    @TempDir
    Path directory;

    private final TestServer server = new TestServer(Connectors.NIO::http);
    private final ServerSendfile sendfile = new ServerSendfile(server.server());
    private byte[] bytes;

    @BeforeEach
    void write() throws Exception {
        bytes = TestFiles.write(directory, "file.bin", BYTES);
        sendfile.getSettings().setDebugHeader(true);
        server.server().addBean(sendfile);
    }

    /** As Jetty's webdefault.xml has it: with a cache, and mapping. */
    private ServletContextHandler context(String path) {
        ServletContextHandler context = new ServletContextHandler(path);
        context.setBaseResourceAsPath(directory);
        ServletHolder holder = context.addServlet(DefaultServlet.class, "/");
        holder.setInitParameter("maxCacheSize", "256000000");
        holder.setInitParameter("precompressed", "true");
        holder.setInitOrder(0);
        holder.setAsyncSupported(true);
        return context;
    }

    private void assertSent(String target) throws Exception {
        try (RawClient client = server.client()) {
            Answer answer = client.get(target).answer();
            assertEquals("yes", answer.headers().get(SendfileSettings.DEBUG_HEADER), target);
            assertArrayEquals(bytes, answer.body());
        }
    }

    private int status(String target) {
        try (RawClient client = server.client()) {
            return client.get(target).answer().status();
        } catch (Exception x) {
            throw new AssertionError(x);
        }
    }

    @Test
    void sendsForEveryServletAndHandler() throws Exception {
        ServletContextHandler first = context("/first");
        ServletHolder other = first.addServlet(ResourceServlet.class, "/other/*");
        Path folder = Files.createDirectory(directory.resolve("folder"));
        Files.copy(directory.resolve("file.bin"), folder.resolve("deep.bin"));
        other.setInitParameter("baseResource", folder.toString());
        ResourceHandler resources = new ResourceHandler();
        resources.setBaseResourceAsString(directory.toString());
        ContextHandler third = new ContextHandler(resources, "/third");
        try (server) {
            server.start(new ContextHandlerCollection(first, context("/second"), third));
            assertSent("/first/file.bin");
            assertSent("/first/other/deep.bin");
            assertSent("/second/file.bin");
            assertSent("/third/file.bin");
            assertEquals(4, sendfile.getFactories());
            assertEquals(4, sendfile.getTransfers());
            assertTrue(server.server().dump().contains("ServerSendfile[factories=4"), "dump");
            assertEquals(true, first.getServletContext().getAttribute(ServerSendfile.CONTEXT_ATTRIBUTE));
        }
    }

    @Test
    void sendsForWhatIsDeployedLaterAndForgetsWhatIsUndeployed() throws Exception {
        ContextHandlerCollection contexts = new ContextHandlerCollection(true);
        try (server) {
            server.start(contexts);
            ServletContextHandler context = context("/later");
            // The steps of Jetty's StandardDeployer.
            Callback.Completable deployed = new Callback.Completable();
            contexts.deployHandler(context, deployed);
            deployed.get();
            context.start();
            contexts.manage(context);
            assertSent("/later/file.bin");
            assertEquals(1, sendfile.getFactories());
            context.stop();
            contexts.removeHandler(context);
            assertEquals(0, sendfile.getFactories());
            assertNull(context.getAttribute(ServerSendfile.CONTEXT_ATTRIBUTE));
        }
    }

    /** Not every program has the collection manage what it adds while that runs. */
    @Test
    void sendsForWhatIsAddedLaterAndForWhatIsInThere() throws Exception {
        ContextHandlerCollection contexts = new ContextHandlerCollection(true);
        try (server) {
            server.start(contexts);
            for (Handler added : List.of(context("/later"), new GracefulHandler(context("/inside")))) {
                contexts.addHandler(added);
                added.start();
            }
            assertSent("/later/file.bin");
            assertSent("/inside/file.bin");
            for (Handler added : contexts.getHandlers()) {
                contexts.removeHandler(added);
                added.stop();
            }
            assertEquals(0, sendfile.getFactories());
        }
    }

    @Test
    void sendsAfterARestartOfTheContext() throws Exception {
        ServletContextHandler context = context("/");
        try (server) {
            server.start(context);
            assertSent("/file.bin");
            context.stop();
            assertEquals(0, sendfile.getFactories());
            context.start();
            assertSent("/file.bin");
        }
    }

    /** Jetty refuses that once somebody listens to the monitor's beans. */
    @Test
    void leavesJettysMonitorOfLowResourcesToBeChanged() throws Exception {
        LowResourceMonitor monitor = new LowResourceMonitor(server.server());
        monitor.setPeriod(100);
        server.server().addManaged(monitor);
        try (server) {
            server.start(context("/"));
            monitor.setMonitorThreads(!monitor.getMonitorThreads());
            monitor.setMaxMemory(1);
            Await.until("is low on memory", monitor::isLowOnResources);
            assertSent("/file.bin");
        }
    }

    @Test
    void keepsVariantsListingsAndStyleSheet() throws Exception {
        Files.writeString(directory.resolve("text.txt"), "plain");
        Files.writeString(directory.resolve("text.txt.gz"), "packed");
        try (server) {
            server.start(context("/"));
            try (RawClient client = server.client()) {
                Answer packed = client.send(
                                "GET /text.txt HTTP/1.1\r\nHost: localhost\r\n" + "Accept-Encoding: gzip\r\n\r\n")
                        .answer();
                assertEquals("packed", new String(packed.body(), StandardCharsets.UTF_8));
                assertEquals("gzip", packed.headers().get("Content-Encoding"));
                assertEquals(
                        "plain", new String(client.get("/text.txt").answer().body(), StandardCharsets.UTF_8));
                String listing = new String(client.get("/").answer().body(), StandardCharsets.UTF_8);
                assertTrue(listing.contains("file.bin"), listing);
                assertEquals(
                        "text/css",
                        client.get("/jetty-dir.css").answer().headers().get("Content-Type"));
            }
        }
    }

    @Test
    void letsGoOfADeletedFile() throws Exception {
        try (server) {
            server.start(context("/"));
            assertSent("/file.bin");
            Files.delete(directory.resolve("file.bin"));
            Await.until("not found", () -> status("/file.bin") == 404);
        }
    }

    @Test
    void leavesAFactoryOfTheApplicationsOwn() throws Exception {
        ServletContextHandler context = context("/");
        HttpContent.Factory own =
                new ResourceHttpContentFactory(
                        context.getBaseResource(),
                        context.getMimeTypes(),
                        new ByteBufferPool.Sized(server.server().getByteBufferPool())) {
                    @Override
                    public HttpContent getContent(String path) {
                        return null;
                    }
                };
        context.setAttribute(HttpContent.Factory.class.getName(), own);
        try (server) {
            server.start(context);
            try (RawClient client = server.client()) {
                assertEquals(404, client.get("/file.bin").answer().status());
            }
            assertEquals(0, sendfile.getFactories());
        }
    }

    @Test
    void leavesOurServletItsSettings() throws Exception {
        ServletContextHandler context = new ServletContextHandler("/");
        ServletHolder files = context.addServlet(SendfileServlet.class, "/files/*");
        files.setInitParameter("baseResource", directory.toString());
        files.setInitParameter("minTransferBytes", "3000000");
        files.setInitParameter("debugHeader", "true");
        files.setInitOrder(0);
        try (server) {
            server.start(context);
            try (RawClient client = server.client()) {
                Answer answer = client.get("/files/file.bin").answer();
                assertEquals("SMALL", answer.headers().get(SendfileSettings.DEBUG_HEADER));
                assertArrayEquals(bytes, answer.body());
            }
            assertEquals(0, sendfile.getFactories());
        }
    }

    @Test
    void managementSeesTheFactoriesInUseAlone() throws Exception {
        MBeanServer mbeans = MBeanServerFactory.newMBeanServer();
        server.server().addBean(new MBeanContainer(mbeans));
        try (server) {
            server.start(context("/"));
            assertSent("/file.bin");
            assertEquals(
                    1,
                    mbeans.queryNames(new ObjectName("dev.millrace.files:type=sendfilecontentfactory,*"), null)
                            .size());
            assertEquals(
                    0,
                    mbeans.queryNames(new ObjectName("*:type=validatingcachinghttpcontentfactory,*"), null)
                            .size());
            ObjectName all = mbeans.queryNames(new ObjectName("dev.millrace.files:type=serversendfile,*"), null)
                    .iterator()
                    .next();
            assertEquals(1L, mbeans.getAttribute(all, "transfers"));
        }
    }

    @Test
    void oneObjectHasTheSettingsOfAllAlsoWhileTheyServe() throws Exception {
        MBeanServer mbeans = MBeanServerFactory.newMBeanServer();
        server.server().addBean(new MBeanContainer(mbeans));
        ServletContextHandler second = context("/second");
        try (server) {
            server.start(new ContextHandlerCollection(context("/first"), second));
            assertSent("/first/file.bin");
            assertSent("/second/file.bin");
            // The others keep what one of them leaves behind.
            second.stop();
            ObjectName settings = mbeans.queryNames(new ObjectName("dev.millrace.files:type=sendfilesettings,*"), null)
                    .iterator()
                    .next();
            mbeans.setAttribute(settings, new Attribute("minTransferBytes", Integer.MAX_VALUE));
            try (RawClient client = server.client()) {
                Answer answer = client.get("/first/file.bin").answer();
                assertEquals("SMALL", answer.headers().get(SendfileSettings.DEBUG_HEADER));
                assertArrayEquals(bytes, answer.body());
            }
        }
    }
}
