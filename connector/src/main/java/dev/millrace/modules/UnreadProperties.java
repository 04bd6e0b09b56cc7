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
 * Warns of properties that nothing reads. A property of Millrace may be misspelt, or its module not enabled. Those of Jetty's
 * own connectors are read by no connector of Millrace. Jetty itself is silent about what it does not read.
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
        String names = configuration.getProperties().getOrDefault(MODULES, "");
        Set<String> enabled =
                Arrays.stream((names + "," + OF_ENVIRONMENT).split(",")).collect(Collectors.toSet());
        for (String property : new TreeSet<>(configuration.getProperties().keySet())) {
            String fault = System.getProperty(property) != null ? null : fault(property, modules, enabled);
            if (fault != null) {
                LOG.warn("Nothing reads the property {}: {}", property, fault);
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
        for (OfJetty jettys : OF_JETTY) {
            if (property.startsWith(jettys.prefix())
                    && !configuration.getIdMap().containsKey(jettys.connector())) {
                return faultOfJettys(property.substring(jettys.prefix().length()), jettys.form(), modules, enabled);
            }
        }
        return null;
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
        try (DirectoryStream<Path> files = Files.newDirectoryStream(file.resolveSibling(""), "millrace-*.xml")) {
            for (Path module : files) {
                // The file may be in any encoding that begins with ASCII: an operator may have written a comment.
                Matcher read = READ.matcher(Files.readString(module, StandardCharsets.ISO_8859_1));
                while (read.find()) {
                    modules.put(read.group(1), module.getFileName().toString().replace(".xml", ""));
                }
            }
        }
        return modules;
    }
}
