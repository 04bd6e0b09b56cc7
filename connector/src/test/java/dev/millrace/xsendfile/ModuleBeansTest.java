package dev.millrace.xsendfile;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import org.eclipse.jetty.jmx.MBeanContainer;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.resource.ResourceFactory;
import org.eclipse.jetty.xml.XmlConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What JMX shows of a server that the distribution's modules have made. */
class ModuleBeansTest {
    private static final List<String> MODULES = List.of(
            "millrace-connector",
            "millrace-bio",
            "millrace-nio",
            "millrace-nio-h2c",
            "millrace-files",
            "millrace-xsendfile");

    @Test
    void eachHasAttributesAndThoseOfAConnectorItsName(@TempDir Path base) throws Exception {
        MBeanServer beans = MBeanServerFactory.newMBeanServer();
        Server server = configure(base);
        server.addBean(new MBeanContainer(beans));
        try {
            server.start();
            Set<ObjectName> ours = new TreeSet<>(beans.queryNames(new ObjectName("dev.millrace.*:*"), null));
            for (ObjectName name : ours) {
                var attributes = beans.getMBeanInfo(name).getAttributes();
                assertNotEquals(0, attributes.length, name.toString());
                assertFalse(name.toString().contains("lambda"), name.toString());
                for (var attribute : attributes) {
                    beans.getAttribute(name, attribute.getName());
                }
            }
            for (String connector : List.of("bio", "nio")) {
                Set<String> types = ours.stream()
                        .filter(name -> name.getKeyProperty("context").endsWith("/" + connector))
                        .map(name -> name.getKeyProperty("type"))
                        .collect(Collectors.toSet());
                assertTrue(types.contains(connector + "connector"), types::toString);
                assertTrue(types.contains("transferstatistics"), types::toString);
            }
        } finally {
            server.stop();
        }
    }

    private static Server configure(Path base) throws Exception {
        Server server = new Server();
        Map<String, Object> ids = new TreeMap<>(Map.of("Server", server, "httpConfig", new HttpConfiguration()));
        try (ResourceFactory.Closeable resources = ResourceFactory.closeable()) {
            for (String module : MODULES) {
                Path file = Path.of("src", "main", "config", "etc", module + ".xml");
                XmlConfiguration xml = new XmlConfiguration(resources.newResource(file));
                xml.getIdMap().putAll(ids);
                xml.getProperties()
                        .putAll(Map.of(
                                "jetty.base", base.toString(),
                                "millrace.xsendfile.roots", base.toString(),
                                "millrace.bio.host", "127.0.0.1",
                                "millrace.bio.port", "0",
                                "millrace.nio.host", "127.0.0.1",
                                "millrace.nio.port", "0"));
                xml.configure();
                ids.putAll(xml.getIdMap());
            }
        }
        return server;
    }
}
