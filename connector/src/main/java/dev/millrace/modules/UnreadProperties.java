package dev.millrace.modules;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.eclipse.jetty.util.resource.Resource;
import org.eclipse.jetty.xml.ConfigurationProcessor;
import org.eclipse.jetty.xml.ConfigurationProcessorFactory;
import org.eclipse.jetty.xml.XmlConfiguration;
import org.eclipse.jetty.xml.XmlParser;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns of properties that nothing reads. A property of Millrace may be misspelt, or its module not enabled. Those of Jetty's
 * own connectors are read by no connector of Millrace. Jetty itself is silent about what it does not read. It also warns of switches that
 * are neither true nor false.
 *
 * <p>Only a processor of a whole file is shown all properties, so {@code etc/millrace-properties.xml} has an element of its own,
 * {@code WarnOfUnreadProperties}. System properties are left alone: applications may read them.
 */
public final class UnreadProperties implements ConfigurationProcessorFactory, ConfigurationProcessor {
    private static final Logger LOG = LoggerFactory.getLogger(UnreadProperties.class);

    private static final String TAG = "WarnOfUnreadProperties";
    /** Each module of Millrace that has properties adds its name to this one. */
    private static final String MODULES = "millrace.modules";

    /** A module of the environment ee11: the properties of the server do not tell whether it is enabled. */
    private static final String OF_ENVIRONMENT = "millrace-uuid";

    private static final Pattern READ = Pattern.compile("(?:property|Property name)=\"(millrace\\.[\\w.]+)\"");
    /** A line of an ini template. The default tells that the setting is a switch. */
    private static final Pattern SWITCH = Pattern.compile("(?m)^# (millrace\\.[\\w.]+)=(?:true|false)$");

    private static final Pattern TRUE_OR_FALSE = Pattern.compile("(?i)true|false");
    private static final List<OfJetty> OF_JETTY = List.of(
            new OfJetty("jetty.http.", "httpConnector", ""),
            new OfJetty("jetty.http2c.", "httpConnector", "h2c."),
            new OfJetty("jetty.ssl.", "sslConnector", "https."),
            new OfJetty("jetty.http2.", "sslConnector", "h2."),
            new OfJetty("jetty.alpn.", "sslConnector", "h2."));

    /**
     * The properties of a module of Jetty's that makes a connector, or adds a protocol to it.
     *
     * @param prefix what they begin with
     * @param connector its id
     * @param form what is between the kind of the connector and the setting where they have a counterpart
     */
    private record OfJetty(String prefix, String connector, String form) {}

    private Path file;
    private XmlConfiguration configuration;

    @Override
    public @Nullable ConfigurationProcessor getConfigurationProcessor(@Nullable String dtd, String tag) {
        return TAG.equals(tag) ? new UnreadProperties() : null;
    }

    @Override
    public void init(Resource resource, XmlParser.Node root, XmlConfiguration xml) {
        file = resource.getPath();
        configuration = xml;
    }

    @Override
    public @Nullable Object configure(@Nullable Object object) throws IOException {
        return configure();
    }

    @Override
    public @Nullable Object configure() throws IOException {
        Map<String, String> modules = modulesByProperty();
        Set<String> switches = switches();
        String names = configuration.getProperties().getOrDefault(MODULES, "");
        Set<String> enabled =
                Arrays.stream((names + "," + OF_ENVIRONMENT).split(",")).collect(Collectors.toSet());
        for (String property : new TreeSet<>(configuration.getProperties().keySet())) {
            String fault = System.getProperty(property) != null ? null : fault(property, modules, enabled);
            if (fault != null) {
                LOG.warn("Nothing reads the property {}: {}", property, fault);
            } else if (isOfNeitherWord(property, switches)) {
                LOG.warn("The property {} is neither true nor false: Jetty takes it for false", property);
            }
        }
        return null;
    }

    private boolean isOfNeitherWord(String property, Set<String> switches) {
        String value = configuration.getProperties().get(property);
        return switches.contains(property) && !TRUE_OR_FALSE.matcher(value).matches();
    }

    private @Nullable String fault(String property, Map<String, String> modules, Set<String> enabled) {
        if (property.startsWith("millrace.") && !property.equals(MODULES)) {
            String module = modules.get(property);
            return module == null
                    ? "no module of Millrace has it; the ini templates in modules/millrace-*.mod have the names"
                    : enabled.contains(module) ? null : "the module " + module + " is not enabled";
        }
        if (property.equals("jetty.httpConfig.headerCacheSize")) {
            return faultOfHeaderCache(modules, enabled);
        }
        for (OfJetty jettys : OF_JETTY) {
            if (property.startsWith(jettys.prefix())
                    && !configuration.getIdMap().containsKey(jettys.connector())) {
                return faultOfJettys(property.substring(jettys.prefix().length()), jettys.form(), modules, enabled);
            }
        }
        return null;
    }

    // Our connectors have no such cache, unless they are told to do as this property says.
    private @Nullable String faultOfHeaderCache(Map<String, String> modules, Set<String> enabled) {
        Map<String, String> properties = configuration.getProperties();
        Set<String> ours = modules.keySet().stream()
                .filter(name -> name.endsWith(".headerCacheSize") && enabled.contains(modules.get(name)))
                .collect(Collectors.toCollection(TreeSet::new));
        boolean isRead = ours.isEmpty()
                || ours.stream().anyMatch(name -> "-1".equals(properties.get(name)))
                || Stream.of("httpConnector", "sslConnector").anyMatch(configuration.getIdMap()::containsKey);
        return isRead ? null : "with the value -1 one of these does: " + String.join(", ", ours);
    }

    /** @return null if there is no such setting: another module of Jetty's may read it */
    private static @Nullable String faultOfJettys(
            String setting, String form, Map<String, String> modules, Set<String> enabled) {
        Set<String> counterparts = new TreeSet<>();
        for (String kind : new String[] {"bio", "nio"}) {
            // Jetty's modules of HTTP/2 name one setting rateControl.x that is x in ours.
            String counterpart = "millrace." + kind + "." + form + setting.replace("rateControl.", "");
            if (modules.containsKey(counterpart)) {
                counterparts.add(counterpart);
            }
        }
        if (counterparts.isEmpty()) {
            return null;
        }
        Set<String> read = counterparts.stream()
                .filter(name -> enabled.contains(modules.get(name)))
                .collect(Collectors.toCollection(TreeSet::new));
        return "no connector of Jetty's is there; in its place is "
                + String.join(", ", read.isEmpty() ? counterparts : read);
    }

    /** The properties that the modules' files read, each with the name of the module. */
    private Map<String, String> modulesByProperty() throws IOException {
        Map<String, String> modules = new TreeMap<>();
        find(
                READ,
                file.resolveSibling(""),
                "millrace-*.xml",
                (property, module) -> modules.put(property, module.replace(".xml", "")));
        return modules;
    }

    /** The properties that are true or false: Jetty takes all other words for false, "yes" and "on" too. */
    private Set<String> switches() throws IOException {
        Set<String> switches = new HashSet<>();
        Path templates = file.toAbsolutePath().resolveSibling("../modules");
        if (Files.isDirectory(templates)) {
            find(SWITCH, templates, "millrace-*.mod", (property, module) -> switches.add(property));
        }
        return switches;
    }

    /** @param told of each property that the pattern finds, with the name of the file */
    private static void find(Pattern pattern, Path directory, String names, BiConsumer<String, String> told)
            throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, names)) {
            for (Path module : files) {
                // The file may be in any encoding that begins with ASCII: an operator may have written a comment.
                Matcher found = pattern.matcher(Files.readString(module, StandardCharsets.ISO_8859_1));
                while (found.find()) {
                    told.accept(found.group(1), module.getFileName().toString());
                }
            }
        }
    }
}
