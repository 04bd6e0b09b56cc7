package dev.millrace.xsendfile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.files.SendfileSettings;
import dev.millrace.files.ServerSendfile;
import dev.millrace.testing.Logged;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.resource.ResourceFactory;
import org.eclipse.jetty.xml.XmlConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The distribution's modules for files: template, XML, documentation and settings agree on names and defaults. */
class FileModulesTest {
    private static final Path CONFIG = Path.of("src", "main", "config");
    private static final Pattern TEMPLATE = Pattern.compile("(?m)^# (millrace\\.[\\w.]+)=(.*)$");
    private static final Pattern IN_XML = Pattern.compile("(?:property|<Property name)=\"(millrace\\.[\\w.]+)\"");
    /** Of which the template shows an example: by default there is none. */
    private static final Set<String> EXAMPLES = Set.of(
            "millrace.files.largePages",
            "millrace.xsendfile.roots",
            "millrace.xsendfile.mappings",
            "millrace.xsendfile.contextRoots",
            "millrace.xsendfile.contextMappings",
            "millrace.xsendfile.notifier.destination");

    private static SortedMap<String, String> template(String module) throws Exception {
        SortedMap<String, String> properties = new TreeMap<>();
        Matcher matcher = TEMPLATE.matcher(Files.readString(CONFIG.resolve("modules/" + module + ".mod")));
        while (matcher.find()) {
            assertNull(properties.put(matcher.group(1), matcher.group(2)), matcher.group());
        }
        return properties;
    }

    /** What the XML makes, by id, with these properties. */
    private static Map<String, Object> configure(String module, Map<String, String> properties) throws Exception {
        try (ResourceFactory.Closeable resources = ResourceFactory.closeable()) {
            XmlConfiguration xml =
                    new XmlConfiguration(resources.newResource(CONFIG.resolve("etc/" + module + ".xml")));
            xml.getIdMap().put("Server", new Server());
            xml.getProperties().putAll(properties);
            xml.getProperties().put("jetty.base", "/base");
            xml.configure();
            return xml.getIdMap();
        }
    }

    private static SortedMap<String, String> settings(Map<String, Object> made) throws Exception {
        SortedMap<String, String> settings = new TreeMap<>();
        if (made.get("millraceFiles") instanceof ServerSendfile files) {
            read("millrace.files.", files.getSettings(), settings);
        } else {
            XSendfileHandler handler = (XSendfileHandler) made.get("millraceXSendfile");
            read("millrace.xsendfile.", handler, settings);
            read("millrace.xsendfile.", handler.getSettings(), settings);
            read("millrace.xsendfile.notifier.", made.get("millraceDownloadNotifier"), settings);
        }
        return settings;
    }

    private static void read(String prefix, Object bean, Map<String, String> settings) throws Exception {
        for (var method : bean.getClass().getMethods()) {
            Matcher getter = Pattern.compile("(get|is)([A-Z])(\\w*)").matcher(method.getName());
            if (getter.matches() && method.getParameterCount() == 0) {
                settings.put(
                        prefix + getter.group(2).toLowerCase(Locale.ROOT) + getter.group(3),
                        String.valueOf(method.invoke(bean)));
            }
        }
    }

    // A cell with nothing in it has one space or two.
    private static String row(String cells) {
        return cells.replace("|  |", "| |");
    }

    @ParameterizedTest
    @ValueSource(strings = {"millrace-files", "millrace-xsendfile"})
    void theXmlAsksForThePropertiesOfTheTemplateAndTheDocumentationHasThem(String module) throws Exception {
        TreeSet<String> inXml = new TreeSet<>();
        Matcher matcher = IN_XML.matcher(Files.readString(CONFIG.resolve("etc/" + module + ".xml")));
        while (matcher.find()) {
            inXml.add(matcher.group(1));
        }
        assertEquals(template(module).keySet(), inXml);
        String document = row(Files.readString(Path.of("..", "docs", "file-serving.md")));
        for (var property : template(module).entrySet()) {
            String shown = EXAMPLES.contains(property.getKey()) ? "" : property.getValue();
            assertTrue(document.contains(row("| `" + property.getKey() + "` | " + shown + " |")), property.toString());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"millrace-files", "millrace-xsendfile"})
    void theTemplatesValuesAreTheDefaults(String module) throws Exception {
        SortedMap<String, String> defaults = settings(configure(module, Map.of()));
        for (var property : template(module).entrySet()) {
            if (!EXAMPLES.contains(property.getKey())) {
                assertEquals(property.getValue(), defaults.get(property.getKey()), property.getKey());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"millrace-files", "millrace-xsendfile"})
    void everyPropertyReachesItsSetting(String module) throws Exception {
        SortedMap<String, String> changed = template(module);
        changed.keySet().removeIf(name -> name.matches(".*([rR]oots|[mM]appings)"));
        changed.replace("millrace.files.algorithm", "SimpleBlocking");
        changed.replaceAll((name, value) -> value.matches("-?\\d+")
                ? String.valueOf(Long.parseLong(value) + 4321)
                : value.equals("true") ? "false" : value.equals("false") ? "true" : value);
        SortedMap<String, String> settings = settings(configure(module, changed));
        changed.forEach((name, value) -> assertEquals(value, settings.get(name), name));
    }

    @Test
    void rootsAndMappingsAreListsRelativeToTheBase() throws Exception {
        XSendfileHandler handler = (XSendfileHandler) configure(
                        "millrace-xsendfile",
                        Map.of(
                                "millrace.xsendfile.roots",
                                "files, /srv/files",
                                "millrace.xsendfile.mappings",
                                "/protected/=files,/more/ = /srv/more"))
                .get("millraceXSendfile");
        assertEquals(
                Path.of("/base/files/a"),
                handler.roots().byPath("/base/files/a").file());
        assertEquals(
                Path.of("/srv/files/a"), handler.roots().byPath("/srv/files/a").file());
        assertNull(handler.roots().byPath("/srv/more/a"));
        assertEquals(
                Path.of("/base/files/a"), handler.roots().byUri("/protected/a").file());
        assertEquals(Path.of("/srv/more/a"), handler.roots().byUri("/more/a").file());
    }

    @Test
    void whatCannotBeMeantIsRefused() {
        XSendfileHandler handler = new XSendfileHandler();
        assertThrows(IllegalArgumentException.class, () -> handler.addMappings("/base", "/protected/"));
        assertThrows(IllegalArgumentException.class, () -> handler.addMappings("/base", "protected=/srv"));
        // Taken for the base itself, all its files could be named.
        assertThrows(IllegalArgumentException.class, () -> handler.addMappings("/base", "/protected/="));
        assertThrows(IllegalArgumentException.class, () -> handler.addContextRoots("/base", "/shop= "));
        assertThrows(IllegalArgumentException.class, () -> handler.addContextMappings("/base", "/shop=/p/="));
        assertThrows(IllegalArgumentException.class, () -> handler.addRoot(""));
        assertThrows(IllegalArgumentException.class, () -> handler.addMapping("/protected/", ""));
        assertThrows(IllegalArgumentException.class, () -> new DownloadNotifier("results"));
        assertThrows(IllegalArgumentException.class, () -> new DownloadNotifier("ftp://host/results"));
    }

    @Test
    void numbersHaveBounds() {
        SendfileSettings files = new XSendfileHandler().getSettings();
        refuses("minTransferBytes is at least 0, not -1", () -> files.setMinTransferBytes(-1));
        refuses("maxGatherBytes is at least 0, not -1", () -> files.setMaxGatherBytes(-1));
        refuses("maxOpenFiles is at least 1, not 0", () -> files.setMaxOpenFiles(0));
        refuses("maxCacheBytes is at least 0, not -1", () -> files.setMaxCacheBytes(-1));
        refuses("maxCachedFileBytes is at least 0, not -1", () -> files.setMaxCachedFileBytes(-1));
        refuses("maxRanges is at least 0, not -1", () -> files.setMaxRanges(-1));
        refuses("maxCompressedBytes is at least 0, not -1", () -> files.setMaxCompressedBytes(-1));
        DownloadNotifier notifier = new DownloadNotifier();
        refuses("maxPending is at least 1, not 0", () -> notifier.setMaxPending(0));
        refuses("retries is at least 0, not -1", () -> notifier.setRetries(-1));
        refuses("retryDelayMillis is at least 0, not -1", () -> notifier.setRetryDelayMillis(-1));
        refuses("timeoutMillis is at least 1, not 0", () -> notifier.setTimeoutMillis(0));
    }

    private static void refuses(String message, Executable setting) {
        assertEquals(
                message, assertThrows(IllegalArgumentException.class, setting).getMessage());
    }

    @Test
    void aDirectoryThatDoesNotExistIsLogged(@TempDir Path directory) throws Exception {
        XSendfileHandler handler = new XSendfileHandler();
        handler.addRoots(directory.toString(), "., no-root");
        handler.addMappings(directory.toString(), "/here/=.,/nowhere/=no-mapping");
        Server server = new Server();
        server.setHandler(handler);
        try (Logged logged = new Logged("dev.millrace.xsendfile")) {
            server.start();
            server.stop();
            assertEquals(1, logged.count("No directory " + directory.resolve("no-root")));
            assertEquals(1, logged.count("No directory " + directory.resolve("no-mapping")));
            assertEquals(2, logged.count("No directory"));
        }
    }
}
