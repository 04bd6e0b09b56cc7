package dev.millrace.connector;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.eclipse.jetty.alpn.server.ALPNServerConnectionFactory;
import org.eclipse.jetty.http2.server.AbstractHTTP2ServerConnectionFactory;
import org.eclipse.jetty.io.WindowRateControl;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.resource.ResourceFactory;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.xml.XmlConfiguration;

/** A module of the distribution that makes a connector, or adds a protocol to the one of the module it depends on. */
record ModuleForm(String name) {
    private static final Path CONFIG = Path.of("src", "main", "config");
    private static final Pattern OURS = Pattern.compile("millrace-(bio|nio)(-\\w+)?");
    private static final Pattern TEMPLATE = Pattern.compile("(?m)^# (millrace\\.[\\w.]+)=(.*)$");
    private static final Pattern IN_XML = Pattern.compile("(?:property|<Property name)=\"(millrace\\.[\\w.]+)\"");

    static List<ModuleForm> all() {
        try (Stream<Path> modules = Files.list(CONFIG.resolve("modules"))) {
            return modules.map(file -> file.getFileName().toString().replaceFirst("\\.mod$", ""))
                    .filter(OURS.asMatchPredicate())
                    .sorted()
                    .map(ModuleForm::new)
                    .toList();
        } catch (IOException x) {
            throw new UncheckedIOException(x);
        }
    }

    /** Those that make a connector, and do not only add a protocol to one. */
    static List<ModuleForm> connectors() {
        return all().stream().filter(form -> form.needed().isEmpty()).toList();
    }

    @Override
    public String toString() {
        return name;
    }

    /** What all properties of this module begin with. */
    String prefix() {
        return name.replace('-', '.') + ".";
    }

    /** The properties of the ini template with their values. */
    SortedMap<String, String> template() {
        SortedMap<String, String> properties = new TreeMap<>();
        Matcher matcher = TEMPLATE.matcher(read("modules/" + name + ".mod"));
        while (matcher.find()) {
            if (properties.put(matcher.group(1), matcher.group(2)) != null) {
                throw new IllegalStateException("twice: " + matcher.group());
            }
        }
        return properties;
    }

    /** The properties that the XML asks for. */
    TreeSet<String> inXml() {
        TreeSet<String> properties = new TreeSet<>();
        Matcher matcher = IN_XML.matcher(read("etc/" + name + ".xml"));
        while (matcher.find()) {
            properties.add(matcher.group(1));
        }
        return properties;
    }

    private static String read(String file) {
        try {
            return Files.readString(CONFIG.resolve(file));
        } catch (IOException x) {
            throw new UncheckedIOException(x);
        }
    }

    /** The modules that this one needs and that make its connector. */
    private List<ModuleForm> needed() {
        Matcher depend = Pattern.compile("(?s)\\[depend\\]\n(.*?)\n\n").matcher(read("modules/" + name + ".mod"));
        return depend.find()
                ? depend.group(1)
                        .lines()
                        .filter(OURS.asMatchPredicate())
                        .map(ModuleForm::new)
                        .toList()
                : List.of();
    }

    /** The connector that Jetty's distribution would make with these properties. */
    ServerConnector configure(Map<String, String> properties) throws Exception {
        Server server = new Server();
        Map<String, Object> ids = new TreeMap<>(Map.of(
                "Server",
                server,
                "httpConfig",
                new HttpConfiguration(),
                "sslContextFactory",
                new SslContextFactory.Server()));
        List<ModuleForm> modules = new ArrayList<>(needed());
        modules.add(this);
        try (ResourceFactory.Closeable resources = ResourceFactory.closeable()) {
            for (ModuleForm module : modules) {
                XmlConfiguration xml =
                        new XmlConfiguration(resources.newResource(CONFIG.resolve("etc/" + module.name + ".xml")));
                xml.getIdMap().putAll(ids);
                xml.getProperties().putAll(properties);
                xml.configure();
                ids.putAll(xml.getIdMap());
            }
        }
        return (ServerConnector) server.getConnectors()[0];
    }

    /** The values of this module's settings, by name, as they are in a connector. */
    SortedMap<String, String> settings(ServerConnector connector) throws Exception {
        SortedMap<String, String> settings = new TreeMap<>();
        if (!needed().isEmpty()) {
            AbstractHTTP2ServerConnectionFactory http2 = connector.getBean(AbstractHTTP2ServerConnectionFactory.class);
            read(http2, settings);
            read(connector.getBean(ALPNServerConnectionFactory.class), settings);
            WindowRateControl rate =
                    (WindowRateControl) http2.getRateControlFactory().newRateControl(null);
            settings.put("maxEventsPerSecond", String.valueOf(rate.getEventsPerSecond()));
            return settings;
        }
        read(connector, settings);
        read(
                connector
                        .getConnectionFactory(HttpConnectionFactory.class)
                        .getHttpConfiguration()
                        .getCustomizer(SecureRequestCustomizer.class),
                settings);
        return settings;
    }

    private static void read(Object bean, Map<String, String> settings) throws Exception {
        if (bean == null) {
            return;
        }
        for (var method : bean.getClass().getMethods()) {
            Matcher getter = Pattern.compile("(get|is)([A-Z]\\w*)").matcher(method.getName());
            if (getter.matches() && method.getParameterCount() == 0) {
                String capital = getter.group(2);
                settings.put(
                        Character.toLowerCase(capital.charAt(0)) + capital.substring(1),
                        String.valueOf(method.invoke(bean)));
            }
        }
        // What Jetty calls otherwise in its getters than in its own modules.
        rename(settings, "negotiatedProtocols", "protocols");
        rename(settings, "stsMaxAge", "stsMaxAgeSeconds");
        rename(settings, "stsIncludeSubDomains", "stsIncludeSubdomains");
        settings.computeIfPresent("protocols", (name, value) -> value.replaceAll("[\\[\\] ]", ""));
    }

    private static void rename(Map<String, String> settings, String from, String to) {
        if (settings.containsKey(from)) {
            settings.put(to, settings.remove(from));
        }
    }
}
