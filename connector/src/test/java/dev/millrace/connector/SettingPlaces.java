package dev.millrace.connector;

import java.io.IOException;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.eclipse.jetty.util.annotation.ManagedAttribute;

/** The places in which a setting of the connectors must occur. {@code CONTRIBUTING.md} lists them for contributors. */
final class SettingPlaces {
    /** Of all settings, whose names a pattern has as {@code NAME} and, with a first capital, {@code CAPITAL}. */
    enum Place {
        SETTER(
                "the connector's class: a setter with a docstring",
                "(?s)@param \\w+ ((?!\\*/).)*\\*/\\s+public void setCAPITAL\\("),
        ATTRIBUTE("the connector's class: a getter with @ManagedAttribute", null),
        TEMPLATE("connector/src/main/config/modules/*.mod", "(?m)^# millrace\\.[a-z.]+\\.NAME="),
        XML("connector/src/main/config/etc/*.xml", "<Set name=\"NAME\""),
        TABLE("docs/connectors.md", "(?m)^\\| `NAME` \\|"),
        README("README.md", "(?m)^\\| `NAME`(?: \\([A-Z]+\\))? \\|");

        private final String title;
        private final String pattern;

        Place(String title, String pattern) {
            this.title = title;
            this.pattern = pattern;
        }

        String title() {
            return title;
        }

        private boolean isIn(String text, String setting) {
            return Pattern.compile(pattern.replace("NAME", setting).replace("CAPITAL", capital(setting)))
                    .matcher(text)
                    .find();
        }
    }

    private static final Path ROOT = Path.of("..");
    private static final Path CONFIG = Path.of("src", "main", "config");

    private final Class<? extends MillraceConnector> connector;
    private final UnaryOperator<String> text;

    /** @param text what the places have in place of the text of their files */
    SettingPlaces(Class<? extends MillraceConnector> connector, UnaryOperator<String> text) {
        this.connector = connector;
        this.text = text;
    }

    /** The settings that the connector has beside those of Jetty's: whose setters take a number, a truth value or a word. */
    NavigableSet<String> settings() {
        return Stream.of(connector, MillraceConnector.class, LimitedConnector.class)
                .flatMap(type -> Arrays.stream(type.getDeclaredMethods()))
                .filter(method -> method.getName().matches("set[A-Z]\\w*") && Modifier.isPublic(method.getModifiers()))
                .filter(method -> method.getParameterCount() == 1
                        && (method.getParameterTypes()[0].isPrimitive()
                                || method.getParameterTypes()[0] == String.class))
                .map(method -> Character.toLowerCase(method.getName().charAt(3))
                        + method.getName().substring(4))
                // An operation on a running connector, which overrides Jetty's.
                .filter(name -> !name.equals("accepting"))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** The places that lack a setting: each with its file, if there are several. */
    NavigableSet<String> lacking(String setting) throws IOException {
        TreeSet<String> lacking = new TreeSet<>();
        for (Place place : Place.values()) {
            if (place == Place.ATTRIBUTE) {
                if (!isAttribute(setting)) {
                    lacking.add(place.title());
                }
                continue;
            }
            for (var file : files(place).entrySet()) {
                if (!place.isIn(file.getValue(), setting)) {
                    lacking.add(place.title() + (place.title().contains("*") ? ": " + file.getKey() : ""));
                }
            }
        }
        return lacking;
    }

    /** Whether JMX shows it. */
    boolean isAttribute(String setting) {
        return Stream.of("get", "is")
                .flatMap(prefix -> Arrays.stream(connector.getMethods())
                        .filter(method ->
                                method.getName().equals(prefix + capital(setting)) && method.getParameterCount() == 0))
                .anyMatch(method -> method.isAnnotationPresent(ManagedAttribute.class));
    }

    private Map<String, String> files(Place place) throws IOException {
        String name = connector.getSimpleName().replace("Connector", "").toLowerCase(Locale.ROOT);
        Map<String, String> files = new TreeMap<>();
        switch (place) {
            case SETTER ->
                files.put(
                        "sources",
                        text.apply(
                                source(LimitedConnector.class) + source(MillraceConnector.class) + source(connector)));
            case TEMPLATE -> {
                for (String module : new String[] {"millrace-" + name, "millrace-" + name + "-https"}) {
                    files.put(module + ".mod", read(CONFIG.resolve("modules/" + module + ".mod")));
                }
            }
            case XML -> {
                for (String module : new String[] {"millrace-" + name, "millrace-" + name + "-https"}) {
                    files.put(module + ".xml", read(CONFIG.resolve("etc/" + module + ".xml")));
                }
            }
            default -> files.put(place.title(), read(ROOT.resolve(place.title())));
        }
        return files;
    }

    private static String source(Class<?> type) throws IOException {
        return Files.readString(
                Path.of("src", "main", "java").resolve(type.getName().replace('.', '/') + ".java"));
    }

    private String read(Path file) throws IOException {
        return text.apply(Files.readString(file));
    }

    private static String capital(String name) {
        return Character.toUpperCase(name.charAt(0)) + name.substring(1);
    }
}
