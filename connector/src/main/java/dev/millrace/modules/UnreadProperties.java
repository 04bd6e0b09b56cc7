package dev.millrace.modules;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
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
import org.eclipse.jetty.util.resource.Resource;
import org.eclipse.jetty.xml.ConfigurationProcessor;
import org.eclipse.jetty.xml.ConfigurationProcessorFactory;
import org.eclipse.jetty.xml.XmlConfiguration;
import org.eclipse.jetty.xml.XmlParser;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns of properties that nothing reads, and of switches that are neither true nor false. A property of Millrace may be
 * misspelt, or its module not enabled. Those of Jetty's own connectors are read by no connector of Millrace. Jetty itself is
 * silent about what it does not read.
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
    /** A setting in an ini template: the default tells which ones are switches. */
    private static final Pattern SWITCH = Pattern.compile("(?m)^# (millrace\\.[\\w.]+)=(?:true|false)$");

    private static final Pattern TRUE_OR_FALSE = Pattern.compile("(?i)true|false");
    private static final String HEADER_CACHE_OF_JETTY = "jetty.httpConfig.headerCacheSize";
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
        Map<String, String> modules = find(READ, file.resolveSibling(""), ".xml");
        String names = configuration.getProperties().getOrDefault(MODULES, "");
        Set<String> enabled =
                Arrays.stream((names + "," + OF_ENVIRONMENT).split(",")).collect(Collectors.toSet());
        Set<String> switches = find(SWITCH, file.resolveSibling("../modules").normalize(), ".mod")
                .keySet();
        for (Map.Entry<String, String> given : new TreeMap<>(configuration.getProperties()).entrySet()) {
            String property = given.getKey();
            String fault = fault(property, modules, enabled);
            if (fault != null) {
                if (System.getProperty(property) == null) {
                    LOG.warn("Nothing reads the property {}: {}", property, fault);
                }
            } else if (switches.contains(property)
                    && !TRUE_OR_FALSE.matcher(given.getValue()).matches()) {
                // Jetty takes all but "true" for false, "yes" and "on" too.
                LOG.warn(
                        "The property {} is neither true nor false, and so it is false: {}",
                        property,
                        given.getValue());
            }
        }
        return null;
    }

    private @Nullable String fault(String property, Map<String, String> modules, Set<String> enabled) {
        if (property.startsWith("millrace.") && !property.equals(MODULES)) {
            String module = modules.get(property);
            return module == null
                    ? "no module of Millrace has it; the ini templates in modules/millrace-*.mod have the names"
                    : enabled.contains(module) ? null : "the module " + module + " is not enabled";
        }
        if (property.equals(HEADER_CACHE_OF_JETTY)) {
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

    /** @return null if a connector has the cache, or none of Millrace is there: another one may have it */
    private @Nullable String faultOfHeaderCache(Map<String, String> modules, Set<String> enabled) {
        List<String> settings = modules.keySet().stream()
                .filter(name -> name.endsWith(".headerCacheSize") && enabled.contains(modules.get(name)))
                .toList();
        boolean read = configuration.getIdMap().containsKey("httpConnector")
                || configuration.getIdMap().containsKey("sslConnector")
                || settings.stream()
                        .anyMatch(name ->
                                "-1".equals(configuration.getProperties().get(name)));
        return read || settings.isEmpty()
                ? null
                : "connectors of Millrace do with " + String.join("=-1, ", settings) + "=-1";
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

    /** What a pattern finds in the files of the modules, each with the name of the module; nothing without the folder. */
    private static Map<String, String> find(Pattern pattern, Path folder, String extension) throws IOException {
        Map<String, String> modules = new TreeMap<>();
        if (!Files.isDirectory(folder)) {
            return modules;
        }
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "millrace-*" + extension)) {
            for (Path module : files) {
                // The file may be in any encoding that begins with ASCII: an operator may have written a comment.
                Matcher found = pattern.matcher(Files.readString(module, StandardCharsets.ISO_8859_1));
                while (found.find()) {
                    modules.put(found.group(1), module.getFileName().toString().replace(extension, ""));
                }
            }
        }
        return modules;
    }
}
