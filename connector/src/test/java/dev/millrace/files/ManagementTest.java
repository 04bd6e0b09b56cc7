package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import dev.millrace.xsendfile.DownloadNotifier;
import dev.millrace.xsendfile.XSendfileHandler;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import javax.management.Attribute;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.jmx.MBeanContainer;
import org.eclipse.jetty.server.Handler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** File serving as JMX and a dump show it. */
@Timeout(60)
class ManagementTest {
    @TempDir
    Path directory;

    @Test
    void showsCachesAndCounters() throws Exception {
        TestFiles.write(directory, "small.bin", 1000);
        TestFiles.write(directory, "large.bin", 100_000);
        SendfileHandler files = Handlers.files(directory);
        files.getSettings().setMaxCacheBytes(100_000);
        MBeanServer beans = MBeanServerFactory.newMBeanServer();
        TestServer server = new TestServer(Connectors.NIO::http);
        server.server().addBean(new MBeanContainer(beans));
        try (server;
                RawClient client = new RawClient(server.start(files).port())) {
            for (int i = 0; i < 6; i++) {
                client.get("/small.bin").answer();
                client.get("/large.bin").answer();
            }
            ObjectName name = beans.queryNames(new ObjectName("dev.millrace.files:type=sendfilecontentfactory,*"), null)
                    .iterator()
                    .next();
            assertEquals(2L, beans.getAttribute(name, "openFiles"));
            assertEquals(6L, beans.getAttribute(name, "transfers"));
            assertEquals(1L, beans.getAttribute(name, "cachedFiles"));
            assertEquals(4L, ((Map<?, ?>) beans.getAttribute(name, "obstacles")).get("SMALL"));
            set(beans, names(beans, "sendfilesettings").iterator().next(), "minTransferBytes", 500);
            assertEquals(500, files.getSettings().getMinTransferBytes());
            String dump = server.server().dump();
            assertTrue(dump.contains("OpenFileCache[files=2/2048"), dump);
            assertTrue(dump.contains("ContentCache[files=1,usedBytes=1024"), dump);
        }
    }

    /** Names a file for whom it is asked, and takes what is posted. */
    private Handler application() {
        return Handlers.of((request, response, callback) -> {
            if (HttpMethod.POST.is(request.getMethod())) {
                Content.Source.asString(request);
                callback.succeeded();
            } else {
                response.getHeaders()
                        .put("X-Sendfile", directory.resolve("file.bin").toString());
                Content.Sink.write(response, true, "own body", callback);
            }
        });
    }

    private static Set<ObjectName> names(MBeanServer beans, String type) throws Exception {
        return beans.queryNames(new ObjectName("dev.millrace.*:type=" + type + ",*"), null);
    }

    private static void set(MBeanServer beans, ObjectName name, String attribute, Object value) throws Exception {
        beans.setAttribute(name, new Attribute(attribute, value));
        assertEquals(value, beans.getAttribute(name, attribute));
    }

    @Test
    void showsFilesOfApplicationsAndWhetherTheyAreSent() throws Exception {
        byte[] bytes = TestFiles.write(directory, "file.bin", 100_000);
        XSendfileHandler handler = new XSendfileHandler(application());
        handler.addRoot(directory.toString());
        MBeanServer beans = MBeanServerFactory.newMBeanServer();
        TestServer server = new TestServer(Connectors.NIO::http);
        server.server().addBean(new MBeanContainer(beans));
        try (server;
                RawClient client = server.start(handler).client()) {
            ObjectName name = names(beans, "xsendfilehandler").iterator().next();
            assertEquals(true, beans.getAttribute(name, "enabled"));
            assertArrayEquals(bytes, client.get("/").answer().body());
            ObjectName files = names(beans, "sendfilecontentfactory").iterator().next();
            assertEquals(1L, beans.getAttribute(files, "transfers"));
            set(beans, name, "enabled", false);
            assertEquals("own body", client.get("/").answer().text());
            set(beans, name, "enabled", true);
            assertArrayEquals(bytes, client.get("/").answer().body());
            assertTrue(
                    beans.queryNames(new ObjectName("dev.millrace.*:*"), null).containsAll(Set.of(name, files)));
        }
    }

    @Test
    void showsWhatIsPostedOfTransfersAndTakesSettings() throws Exception {
        TestFiles.write(directory, "file.bin", 100_000);
        XSendfileHandler handler = new XSendfileHandler(application());
        handler.addRoot(directory.toString());
        handler.addTransferListener(new DownloadNotifier());
        MBeanServer beans = MBeanServerFactory.newMBeanServer();
        TestServer server = new TestServer(Connectors.NIO::http);
        server.server().addBean(new MBeanContainer(beans));
        try (server;
                RawClient client = server.start(handler).client()) {
            ObjectName name = names(beans, "downloadnotifier").iterator().next();
            assertNull(beans.getAttribute(name, "destination"));
            Map<String, Object> counts = Map.of("pending", 0, "posted", 0L, "dropped", 0L);
            for (Map.Entry<String, Object> count : counts.entrySet()) {
                assertEquals(count.getValue(), beans.getAttribute(name, count.getKey()), count.getKey());
            }
            set(beans, name, "maxPending", 7);
            set(beans, name, "retries", 2);
            set(beans, name, "retryDelayMillis", 10L);
            set(beans, name, "timeoutMillis", 9000L);
            String destination = "127.0.0.1:" + server.port() + "/results";
            beans.setAttribute(name, new Attribute("destination", "http://user:password@" + destination));
            assertEquals("http://" + destination, beans.getAttribute(name, "destination"));
            client.get("/").answer();
            Await.until("posted", () -> attribute(beans, name, "posted").equals(1L));
            assertEquals(0L, beans.getAttribute(name, "dropped"));
            handler.addTransferListener(new DownloadNotifier());
            assertEquals(2, names(beans, "downloadnotifier").size(), "added later");
        }
    }

    private static Object attribute(MBeanServer beans, ObjectName name, String attribute) {
        try {
            return beans.getAttribute(name, attribute);
        } catch (JMException x) {
            throw new AssertionError(x);
        }
    }
}
