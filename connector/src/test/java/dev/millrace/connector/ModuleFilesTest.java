package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.eclipse.jetty.http2.server.AbstractHTTP2ServerConnectionFactory;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.annotation.Name;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The modules of the distribution: every setting of a connector is a property, every property reaches its setting, and
 * template, XML and documentation agree on names and defaults.
 */
class ModuleFilesTest {
    private static final Path DOCUMENT = Path.of("..", "docs", "connectors.md");
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `(\\w+)` \\| ([^|]+) \\| ([^|]+) \\|");

    /** Settings whose template shows an example, because unset is what they are by default. */
    private static final Set<String> EXAMPLES = Set.of("host");

    /** Settings of which the answer to -1 or 0 is seen, not the -1 or 0. */
    private static final Set<String> COMPUTED = Set.of("selectors", "acceptQueueSize");

    /** Setters without a property, each with the reason. */
    private static final Map<String, String> NO_PROPERTIES = Map.of(
            "contentWriterFactory", "an object",
            "accepting", "an operation on a running connector",
            "beans", "a collection of objects, which XML adds one by one",
            "eventListeners", "a collection of objects, which XML adds one by one",
            "connectionFactories", "chosen by the module",
            "defaultProtocol", "chosen by the module");

    static List<ModuleForm> all() {
        return ModuleForm.all();
    }

    static List<ModuleForm> connectors() {
        return ModuleForm.connectors();
    }

    @Test
    void thereAreModulesForBothConnectorsAndAllProtocols() {
        Set<String> names = all().stream().map(ModuleForm::name).collect(Collectors.toSet());
        assertEquals(
                Set.of(
                        "millrace-bio",
                        "millrace-bio-https",
                        "millrace-bio-h2",
                        "millrace-bio-h2c",
                        "millrace-nio",
                        "millrace-nio-https",
                        "millrace-nio-h2",
                        "millrace-nio-h2c"),
                names);
        assertEquals(4, connectors().size());
    }

    @ParameterizedTest
    @MethodSource("all")
    void theXmlAsksForThePropertiesOfTheTemplate(ModuleForm module) {
        assertEquals(module.template().keySet(), module.inXml());
        assertTrue(module.inXml().size() >= 5, "only " + module.inXml());
        for (String property : module.inXml()) {
            assertTrue(property.startsWith(module.prefix()), property);
        }
    }

    @ParameterizedTest
    @MethodSource("all")
    void theTemplatesValuesAreTheDefaults(ModuleForm module) throws Exception {
        Map<String, String> defaults = module.settings(module.configure(Map.of()));
        Map<String, String> templated = module.settings(module.configure(module.template()));
        for (var property : module.template().entrySet()) {
            String name = property.getKey().substring(module.prefix().length());
            assertTrue(defaults.containsKey(name), "no getter: " + property);
            String wanted = EXAMPLES.contains(name)
                    ? "null"
                    : COMPUTED.contains(name) ? templated.get(name) : property.getValue();
            assertEquals(wanted, defaults.get(name), name);
        }
    }

    @ParameterizedTest
    @MethodSource("all")
    void everyPropertyReachesItsSetting(ModuleForm module) throws Exception {
        Map<String, String> changed = new TreeMap<>(module.template());
        changed.replaceAll((property, value) -> other(value));
        Map<String, String> settings = module.settings(module.configure(changed));
        for (var property : changed.entrySet()) {
            assertNotEquals(property.getValue(), module.template().get(property.getKey()), property.getKey());
            String name = property.getKey().substring(module.prefix().length());
            assertEquals(property.getValue(), settings.get(name), name);
        }
    }

    private static String other(String value) {
        return switch (value) {
            case "true" -> "false";
            case "false" -> "true";
            case "auto" -> "platform";
            case "adaptive" -> "handoff";
            case "Adaptive" -> "SimpleBlocking";
            case "gather" -> "adaptive-chunk";
            case "0.0.0.0" -> "127.0.0.1";
            case "bio", "nio", "bio-https", "nio-https" -> "other";
            case "h2,http/1.1" -> "http/1.1,h2";
            case "http/1.1" -> "h2";
            // Low numbers, because some are of threads and one is a priority.
            case "1", "-1", "-2" -> "2";
            default -> String.valueOf(Long.parseLong(value) + 4321);
        };
    }

    @ParameterizedTest
    @MethodSource("connectors")
    void everySetterIsReachedByAProperty(ModuleForm module) throws Exception {
        Class<?> type = module.configure(Map.of()).getClass();
        Stream<String> setters = Arrays.stream(type.getMethods())
                .filter(method -> method.getName().matches("set[A-Z]\\w*") && method.getParameterCount() == 1)
                .map(method -> Character.toLowerCase(method.getName().charAt(3))
                        + method.getName().substring(4));
        Stream<String> sizes = Arrays.stream(type.getConstructors())
                .flatMap(constructor -> Arrays.stream(constructor.getParameters()))
                .filter(parameter -> parameter.getType().isPrimitive())
                .map(parameter -> parameter.getAnnotation(Name.class).value());
        TreeSet<String> settings = Stream.concat(setters, sizes).collect(Collectors.toCollection(TreeSet::new));
        assertTrue(settings.containsAll(NO_PROPERTIES.keySet()), "exceptions that are none: " + settings);
        settings.removeAll(NO_PROPERTIES.keySet());
        settings.removeIf(setting -> module.template().containsKey(module.prefix() + setting));
        assertEquals(Set.of(), settings, "settings without a property");
    }

    @ParameterizedTest
    @ValueSource(classes = {BioConnector.class, NioConnector.class})
    void everyConstructorNamesItsArguments(Class<?> connector) {
        for (var constructor : connector.getConstructors()) {
            for (var parameter : constructor.getParameters()) {
                Name name = parameter.getAnnotation(Name.class);
                assertNotNull(name, constructor + ": " + parameter);
                assertEquals(parameter.getName(), name.value(), constructor.toString());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"millrace-bio", "millrace-nio"})
    void protocolsAreAddedToTheConnector(String name) throws Exception {
        ServerConnector clear = new ModuleForm(name + "-h2c").configure(Map.of());
        assertEquals(Set.of("http/1.1", "h2c"), Set.copyOf(clear.getProtocols()));
        assertEquals("HTTP/1.1", clear.getDefaultProtocol());
        ServerConnector secure = new ModuleForm(name + "-h2").configure(Map.of());
        assertEquals(Set.of("ssl", "alpn", "h2", "http/1.1"), Set.copyOf(secure.getProtocols()));
        assertEquals("SSL", secure.getDefaultProtocol());
        assertNotNull(secure.getBean(AbstractHTTP2ServerConnectionFactory.class));
    }

    /** Jetty's own factory would serve as well, but write each record by itself. */
    @ParameterizedTest
    @ValueSource(strings = {"millrace-bio-https", "millrace-bio-h2", "millrace-nio-https", "millrace-nio-h2"})
    void tlsIsMadeByMillrace(String name) throws Exception {
        ServerConnector connector = new ModuleForm(name).configure(Map.of());
        assertInstanceOf(TlsConnectionFactory.class, connector.getConnectionFactory(SslConnectionFactory.class));
    }

    @Test
    void theApplicationsPropertiesAreDocumented() throws IOException {
        ModuleForm module = new ModuleForm("millrace-uuid");
        assertEquals(module.template().keySet(), module.inXml());
        String document = Files.readString(Path.of("..", "docs", "web-application.md"));
        for (String property : module.inXml()) {
            assertTrue(document.contains("| `" + property + "` |"), property);
        }
    }

    @Test
    void theDocumentationHasEverySettingWithItsDefault() throws IOException {
        Map<String, String> inModules = new TreeMap<>();
        for (ModuleForm module : all()) {
            module.template().forEach((property, value) -> {
                String name = property.substring(module.prefix().length());
                String shown = EXAMPLES.contains(name) ? "" : value;
                inModules.put(module.name() + " " + name, shown);
            });
        }
        Map<String, String> inDocument = new TreeMap<>();
        Matcher row = ROW.matcher(Files.readString(DOCUMENT));
        while (row.find()) {
            for (String module : modules(row.group(3))) {
                String before =
                        inDocument.put(module + " " + row.group(1), row.group(2).replace("—", ""));
                assertNull(before, "twice: " + row.group());
            }
        }
        assertEquals(inModules, inDocument);
    }

    /** The modules that a cell of the documentation's table names. */
    private static List<String> modules(String cell) {
        return Arrays.stream(cell.split(", "))
                .flatMap(word -> switch (word) {
                    case "all" -> connectors().stream().map(ModuleForm::name);
                    case "bio", "nio", "https" ->
                        connectors().stream()
                                .map(ModuleForm::name)
                                .filter(name -> List.of(name.split("-")).contains(word));
                    case "h2", "h2c" -> Stream.of("millrace-bio-" + word, "millrace-nio-" + word);
                    default -> Stream.of(word);
                })
                .toList();
    }
}
