package dev.millrace.modules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Path;
import java.util.Map;
import org.eclipse.jetty.http2.server.AbstractHTTP2ServerConnectionFactory;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.resource.ResourceFactory;
import org.eclipse.jetty.xml.XmlConfiguration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Settings that would end every connection of HTTP/2 are refused by the modules' XML. */
class Http2SettingsTest {
    private static final Path ETC = Path.of("src", "main", "config", "etc");

    private final Server server = new Server();

    /** Reads the files of a connector and of its HTTP/2 in clear text. */
    private void configure(String kind, String setting, String value) throws Exception {
        try (ResourceFactory.Closeable resources = ResourceFactory.closeable()) {
            XmlConfiguration connector =
                    new XmlConfiguration(resources.newResource(ETC.resolve("millrace-" + kind + ".xml")));
            connector.getIdMap().putAll(Map.of("Server", server, "httpConfig", new HttpConfiguration()));
            connector.configure();
            XmlConfiguration http2 =
                    new XmlConfiguration(resources.newResource(ETC.resolve("millrace-" + kind + "-h2c.xml")));
            http2.getIdMap().putAll(connector.getIdMap());
            http2.getProperties().put("millrace." + kind + ".h2c." + setting, value);
            http2.configure();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "maxEventsPerSecond, 0",
        "maxEventsPerSecond, -1",
        "maxConcurrentStreams, 0",
        "initialStreamRecvWindow, 0",
        "initialStreamRecvWindow, -1",
        "maxSettingsKeys, 0"
    })
    void whatLetsNoClientInIsRefused(String setting, String value) {
        for (String kind : new String[] {"bio", "nio"}) {
            Throwable refusal = assertThrows(Exception.class, () -> configure(kind, setting, value));
            while (refusal.getCause() != null) {
                refusal = refusal.getCause();
            }
            assertEquals(setting + " is at least 1, not " + value, refusal.getMessage());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"bio", "nio"})
    void theLeastIsTaken(String kind) throws Exception {
        configure(kind, "maxConcurrentStreams", "1");
        ServerConnector connector = (ServerConnector) server.getConnectors()[0];
        assertEquals(
                1, connector.getBean(AbstractHTTP2ServerConnectionFactory.class).getMaxConcurrentStreams());
    }
}
