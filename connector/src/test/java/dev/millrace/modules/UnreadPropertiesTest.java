package dev.millrace.modules;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.testing.Logged;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.eclipse.jetty.util.resource.ResourceFactory;
import org.eclipse.jetty.xml.XmlConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A base that has switched from Jetty's connectors is told which of its properties have lost their effect. */
class UnreadPropertiesTest {
    private static final Path FILE = Path.of("src", "main", "config", "etc", "millrace-properties.xml");
    private static final String TOLD =
            "Nothing reads the property %s: no connector of Jetty's is there; in its place is %s";

    /** Reads the file in a server with these properties, and with connectors of these ids. */
    private static void read(Map<String, String> properties, List<String> connectors) throws Exception {
        read(FILE, properties, connectors);
    }

    private static void read(Path file, Map<String, String> properties, List<String> connectors) throws Exception {
        try (ResourceFactory.Closeable resources = ResourceFactory.closeable()) {
            XmlConfiguration xml = new XmlConfiguration(resources.newResource(file));
            xml.getProperties().putAll(properties);
            connectors.forEach(id -> xml.getIdMap().put(id, new Object()));
            xml.configure();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "jetty.http.port | millrace.bio.port, millrace.nio.port",
                "jetty.http2c.maxConcurrentStreams | millrace.bio.h2c.maxConcurrentStreams, millrace.nio.h2c.maxConcurrentStreams",
                "jetty.ssl.sniRequired | millrace.bio.https.sniRequired, millrace.nio.https.sniRequired",
                "jetty.http2.rateControl.maxEventsPerSecond | millrace.bio.h2.maxEventsPerSecond, millrace.nio.h2.maxEventsPerSecond",
                "jetty.alpn.protocols | millrace.bio.h2.protocols, millrace.nio.h2.protocols"
            })
    void whatOnlyJettysConnectorsReadIsToldWithoutThem(String property, String counterparts) throws Exception {
        try (Logged logged = new Logged(UnreadProperties.class.getName())) {
            read(Map.of(property, "1"), List.of("httpConnector", "sslConnector"));
            assertEquals(0, logged.count("Nothing reads"));
            read(Map.of(property, "1"), List.of());
            assertEquals(1, logged.count(TOLD.formatted(property, counterparts)));
            assertEquals(1, logged.count("Nothing reads"));
        }
    }

    @Test
    void theCounterpartThatIsReadIsNamedAlone() throws Exception {
        try (Logged logged = new Logged(UnreadProperties.class.getName())) {
            read(
                    Map.of(
                            "jetty.http2.maxSettingsKeys",
                            "1",
                            "millrace.modules",
                            ",millrace-nio-https,millrace-nio-h2"),
                    List.of());
            assertEquals(
                    1, logged.count(TOLD.formatted("jetty.http2.maxSettingsKeys", "millrace.nio.h2.maxSettingsKeys")));
        }
    }

    /** XML says itself which encoding it has, and Jetty reads it by that. */
    @Test
    void aFileOfAnotherEncodingIsRead(@TempDir Path etc) throws Exception {
        Path file = Files.copy(FILE, etc.resolve(FILE.getFileName()));
        Files.writeString(
                etc.resolve("millrace-nio.xml"),
                "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><!-- f\u00fcr uns --><Property name=\"millrace.nio.port\"/>",
                StandardCharsets.ISO_8859_1);
        try (Logged logged = new Logged(UnreadProperties.class.getName())) {
            read(file, Map.of("millrace.nio.port", "1"), List.of());
            assertEquals(1, logged.count("the module millrace-nio is not enabled"));
        }
    }

    @ParameterizedTest
    @CsvSource({"yes, 1", "on, 1", "1, 1", "'', 1", "true, 0", "FALSE, 0"})
    void aSwitchThatIsNeitherTrueNorFalseIsTold(String value, int times) throws Exception {
        try (Logged logged = new Logged(UnreadProperties.class.getName())) {
            read(Map.of("millrace.modules", ",millrace-nio", "millrace.nio.reusePort", value), List.of());
            assertEquals(
                    times,
                    logged.count("The property millrace.nio.reusePort is neither true nor false, and so it is false: "
                            + value));
            assertEquals(0, logged.count("Nothing reads"));
        }
    }

    @Test
    void aSwitchOfAModuleThatIsNotEnabledIsToldOnce() throws Exception {
        try (Logged logged = new Logged(UnreadProperties.class.getName())) {
            read(Map.of("millrace.nio.reusePort", "yes"), List.of());
            assertEquals(1, logged.count("the module millrace-nio is not enabled"));
            assertEquals(0, logged.count("neither true nor false"));
        }
    }

    /** The connectors of Millrace have no such cache, unless their own setting says that this property holds. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                ",millrace-nio | none | none | 1",
                ",millrace-nio | none | httpConnector | 0",
                ",millrace-nio | millrace.nio.headerCacheSize | none | 0",
                ",millrace-bio,millrace-nio-https | none | sslConnector | 0",
                ",millrace-files | none | none | 0"
            })
    void aHeaderCacheThatNoConnectorHasIsTold(String modules, String setting, String connector, int times)
            throws Exception {
        try (Logged logged = new Logged(UnreadProperties.class.getName())) {
            read(
                    Map.of("millrace.modules", modules, "jetty.httpConfig.headerCacheSize", "4096", setting, "-1"),
                    List.of(connector));
            assertEquals(
                    times,
                    logged.count("Nothing reads the property jetty.httpConfig.headerCacheSize:"
                            + " connectors of Millrace do with millrace.nio.headerCacheSize=-1"));
            assertEquals(times, logged.count("Nothing reads"));
        }
    }
}
