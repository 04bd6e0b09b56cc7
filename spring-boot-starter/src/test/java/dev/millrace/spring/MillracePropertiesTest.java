package dev.millrace.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.connector.BioConnector;
import dev.millrace.connector.MillraceConnector;
import dev.millrace.connector.NioConnector;
import dev.millrace.files.SendfileSettings;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.eclipse.jetty.server.Server;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.json.JsonParserFactory;

/** The properties: defaults are those of the connectors, no setting is forgotten, and IDEs know them all. */
class MillracePropertiesTest {
    private static final MillraceProperties DEFAULTS =
            new Binder(new MapConfigurationPropertySource()).bindOrCreate("millrace", MillraceProperties.class);

    /** Settings that have no property, with the reason. */
    private static final Map<String, String> WITHOUT = Map.of(
            "MaxConnections", "server.jetty.max-connections",
            "ContentWriterFactory", "code",
            "Accepting", "no setting, but a state");

    private static List<MillraceConnector> connectors() {
        Server server = new Server();
        return List.of(new NioConnector(server), new BioConnector(server));
    }

    /** By the names of the connector's setters. */
    private static Map<String, Object> values(MillraceConnector connector) throws ReflectiveOperationException {
        Map<String, Object> values = new HashMap<>();
        for (var setter : connector.getClass().getMethods()) {
            String name = setter.getName().replaceFirst("^set", "");
            if (setter.getName().startsWith("set")
                    && setter.getDeclaringClass().getName().startsWith("dev.millrace.")
                    && !WITHOUT.containsKey(name)) {
                String getter = (setter.getParameterTypes()[0] == boolean.class ? "is" : "get") + name;
                values.put(name, connector.getClass().getMethod(getter).invoke(connector));
            }
        }
        return values;
    }

    @Test
    void defaultsAreThoseOfTheConnectors() throws ReflectiveOperationException {
        for (MillraceConnector connector : connectors()) {
            Map<String, Object> before = values(connector);
            assertTrue(before.size() >= 11, before::toString);
            new ConnectorSettings(DEFAULTS, false).apply(connector);
            Map<String, Object> after = values(connector);
            if (connector instanceof BioConnector) {
                // In Spring Boot, spring.threads.virtual.enabled decides what is automatic elsewhere.
                assertEquals("auto", before.remove("Threads"));
                assertEquals("platform", after.remove("Threads"));
            }
            assertEquals(before, after);
        }
        SendfileSettings files = new SendfileSettings();
        assertEquals(files.getMaxOpenFiles(), DEFAULTS.files().maxOpen());
        assertEquals(files.getMaxCacheBytes(), DEFAULTS.files().cacheSize().toBytes());
        assertEquals(
                files.getMaxCachedFileBytes(),
                DEFAULTS.files().maxCachedFileSize().toBytes());
        assertEquals(files.isDebugHeader(), DEFAULTS.files().debugHeader());
    }

    @Test
    void noSettingIsForgotten() throws ReflectiveOperationException {
        Map<String, Object> changed = new HashMap<>();
        Map.of(
                        "workers", 49,
                        "header-cache-size", 1,
                        "algorithm", "SimpleBlocking",
                        "dispatch", "handoff",
                        "requests-per-dispatch", 2,
                        "read-ahead-size", "1B",
                        "threads", "platform")
                .forEach((name, value) -> changed.put("millrace." + name, value));
        Map.of(
                        "request-head-timeout",
                        "1s",
                        "min-request-bytes-per-second",
                        1,
                        "min-response-bytes-per-second",
                        1,
                        "slow-peer-grace",
                        "1s",
                        "slow-requests-always-ended",
                        true,
                        "grpc-exempt",
                        true,
                        "lingering-close-timeout",
                        "1s",
                        "lingering-close-size",
                        "1B")
                .forEach((name, value) -> changed.put("millrace.limits." + name, value));
        MillraceProperties properties = new Binder(new MapConfigurationPropertySource(changed))
                .bind("millrace", MillraceProperties.class)
                .get();
        for (MillraceConnector connector : connectors()) {
            Map<String, Object> before = values(connector);
            new ConnectorSettings(properties, false).apply(connector);
            values(connector).forEach((name, value) -> assertNotEquals(before.get(name), value, name));
        }
    }

    @Test
    @SuppressWarnings("unchecked")
    void idesAndTheGuideKnowThem() throws Exception {
        Map<String, Object> metadata;
        try (InputStream in =
                MillraceProperties.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
            assertNotNull(in, "no metadata");
            metadata =
                    JsonParserFactory.getJsonParser().parseMap(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
        String guide = Files.readString(Path.of("..", "docs", "guides", "spring-boot.md"));
        Set<String> names = new TreeSet<>();
        for (Object entry : (Iterable<Object>) metadata.get("properties")) {
            Map<String, Object> property = (Map<String, Object>) entry;
            names.add((String) property.get("name"));
            String description = (String) property.get("description");
            assertTrue(description != null && description.endsWith("."), property::toString);
            assertNotNull(property.get("type"), property::toString);
            assertTrue(guide.contains("| `" + property.get("name")), property::toString);
        }
        assertTrue(
                names.containsAll(Set.of(
                        "millrace.enabled",
                        "millrace.connector",
                        "millrace.threads",
                        "millrace.limits.slow-peer-grace",
                        "millrace.files.enabled",
                        "millrace.xsendfile.roots",
                        "millrace.xsendfile.mappings")),
                names::toString);
    }
}
