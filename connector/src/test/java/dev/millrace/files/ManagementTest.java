package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import java.nio.file.Path;
import java.util.Map;
import javax.management.Attribute;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import org.eclipse.jetty.jmx.MBeanContainer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** File serving as JMX and a dump show it. */
class ManagementTest {
    @TempDir
    Path directory;

    @Test
    void showsCachesAndCounters() throws Exception {
        TestFiles.write(directory, "small.bin", 1000);
        TestFiles.write(directory, "large.bin", 100_000);
        SendfileHandler files = new SendfileHandler();
        files.setBaseResourceAsString(directory.toString());
        files.getSendfileContentFactory().setMaxCacheBytes(100_000);
        MBeanServer beans = MBeanServerFactory.newMBeanServer();
        TestServer server = new TestServer(Connectors.NIO::http);
        server.server().addBean(new MBeanContainer(beans));
        try (server; RawClient client = new RawClient(server.start(files).port())) {
            for (int i = 0; i < 6; i++) {
                client.get("/small.bin").answer();
                client.get("/large.bin").answer();
            }
            ObjectName name = beans.queryNames(new ObjectName("dev.millrace.files:type=sendfilecontentfactory,*"), null)
                    .iterator().next();
            assertEquals(2L, beans.getAttribute(name, "openFiles"));
            assertEquals(6L, beans.getAttribute(name, "transfers"));
            assertEquals(1L, beans.getAttribute(name, "cachedFiles"));
            assertEquals(4L, ((Map<?, ?>) beans.getAttribute(name, "obstacles")).get("SMALL"));
            beans.setAttribute(name, new Attribute("minTransferBytes", 500));
            assertEquals(500, files.getSendfileContentFactory().getMinTransferBytes());
            String dump = server.server().dump();
            assertTrue(dump.contains("OpenFileCache[files=2/2048"), dump);
            assertTrue(dump.contains("ContentCache[files=1,usedBytes=1024"), dump);
        }
    }
}
