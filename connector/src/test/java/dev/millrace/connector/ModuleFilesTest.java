package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.resource.ResourceFactory;
import org.eclipse.jetty.xml.XmlConfiguration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The module files of the distribution: every property has a place in the XML, a setter, and its default in the template. */
class ModuleFilesTest {
    private static final Path CONFIG = Path.of("src", "main", "config");
    private static final Pattern TEMPLATE = Pattern.compile("(?m)^# (millrace\\.[\\w.]+)=(.*)$");
    private static final Pattern IN_XML = Pattern.compile("(?:property|<Property name)=\"(millrace\\.[\\w.]+)\"");

    private static TreeMap<String, String> template(String module) throws Exception {
        TreeMap<String, String> properties = new TreeMap<>();
        Matcher matcher = TEMPLATE.matcher(Files.readString(CONFIG.resolve("modules/" + module + ".mod")));
        while (matcher.find()) {
            properties.put(matcher.group(1), matcher.group(2));
        }
        return properties;
    }

    @ParameterizedTest
    @ValueSource(strings = {"millrace-bio", "millrace-nio"})
    void everyPropertyOfTheXmlStandsInTheTemplate(String module) throws Exception {
        TreeMap<String, String> inXml = new TreeMap<>();
        Matcher matcher = IN_XML.matcher(Files.readString(CONFIG.resolve("etc/" + module + ".xml")));
        while (matcher.find()) {
            inXml.put(matcher.group(1), "");
        }
        assertEquals(inXml.keySet(), template(module).keySet());
        assertTrue(inXml.size() > 10, "only " + inXml);
    }

    @ParameterizedTest
    @ValueSource(strings = {"millrace-bio", "millrace-nio"})
    void theTemplatesValuesAreTheDefaults(String module) throws Exception {
        ServerConnector plain = configure(module, new TreeMap<>());
        ServerConnector templated = configure(module, template(module));
        assertEquals(plain.getPort(), templated.getPort());
        for (var method : plain.getClass().getMethods()) {
            boolean value = method.getReturnType().isPrimitive() || method.getReturnType() == String.class;
            boolean setting = value && method.getParameterCount() == 0 && method.getName().matches("(get|is).*")
                    && Arrays.stream(plain.getClass().getMethods())
                            .anyMatch(m -> m.getName().equals("set" + method.getName().replaceFirst("get|is", "")));
            if (setting && !method.getName().equals("getHost")) {
                assertEquals(String.valueOf(method.invoke(plain)), String.valueOf(method.invoke(templated)), method.getName());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"millrace-bio", "millrace-nio"})
    void everyPropertyReachesItsSetter(String module) throws Exception {
        TreeMap<String, String> changed = template(module);
        changed.replaceAll((name, value) -> switch (value) {
            case "true" -> "false";
            case "false" -> "true";
            case "auto" -> "platform";
            case "adaptive" -> "handoff";
            case "gather" -> "adaptive-chunk";
            case "0.0.0.0" -> "127.0.0.1";
            case "1", "-1" -> "2";
            default -> "4321";
        });
        changed.replaceAll((name, value) -> name.endsWith("acceptorPriorityDelta") ? "3" : value);
        ServerConnector connector = configure(module, changed);
        for (var property : changed.entrySet()) {
            String name = property.getKey().substring(property.getKey().lastIndexOf('.') + 1);
            String capital = Character.toUpperCase(name.charAt(0)) + name.substring(1);
            var getter = Arrays.stream(connector.getClass().getMethods())
                    .filter(m -> m.getName().equals("get" + capital) || m.getName().equals("is" + capital))
                    .findFirst().orElse(null);
            assertNotNull(getter, property.getKey());
            assertEquals(property.getValue(), String.valueOf(getter.invoke(connector)), property.getKey());
        }
    }

    private static ServerConnector configure(String module, TreeMap<String, String> properties) throws Exception {
        Server server = new Server();
        try (ResourceFactory.Closeable resources = ResourceFactory.closeable()) {
            XmlConfiguration xml = new XmlConfiguration(
                    resources.newResource(CONFIG.resolve("etc/" + module + ".xml")));
            xml.getIdMap().put("Server", server);
            xml.getIdMap().put("httpConfig", new HttpConfiguration());
            xml.getProperties().putAll(properties);
            xml.configure(server);
        }
        return (ServerConnector) server.getConnectors()[0];
    }
}
