package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.management.Attribute;
import javax.management.JMException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import org.eclipse.jetty.jmx.MBeanContainer;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.util.annotation.ManagedAttribute;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What JMX and {@code dump()} show of the connectors while they serve. */
class ManagementTest {
    /** An object, and an operation on a running connector. */
    private static final Set<String> NO_ATTRIBUTES = Set.of("setContentWriterFactory", "setAccepting");

    /** More than the buffers of two sockets. */
    private static final int LARGE_BYTES = 32 << 20;

    private static final Pattern ROW = Pattern.compile("^\\| ([^|]*)\\| ([^|]*)\\|", Pattern.MULTILINE);
    private static final Pattern CLASS = Pattern.compile("\\b[A-Z][a-z]\\w+");
    private static final Pattern CODE = Pattern.compile("(?<=`)\\w+(?=`)");

    private final MBeanServer beans = MBeanServerFactory.newMBeanServer();

    private TestServer managed(Connectors connectors) throws Exception {
        return managed(connectors, Handlers.hello());
    }

    private TestServer managed(Connectors connectors, Handler handler) throws Exception {
        TestServer server = new TestServer(connectors::http);
        server.server().addBean(new MBeanContainer(beans));
        return server.start(handler);
    }

    private ObjectName bean(String type) throws JMException {
        Set<ObjectName> found = beans.queryNames(new ObjectName("*:type=" + type + ",*"), null);
        assertEquals(1, found.size(), type + " among " + beans.queryNames(null, null));
        return found.iterator().next();
    }

    private Object attribute(String type, String name) {
        try {
            return beans.getAttribute(bean(type), name);
        } catch (JMException x) {
            throw new AssertionError(type + "." + name, x);
        }
    }

    private static String type(TestServer server) {
        return server.connector().getClass().getSimpleName().toLowerCase(Locale.ROOT);
    }

    @ParameterizedTest
    @MethodSource("dev.millrace.testing.Connectors#ours")
    void everyAttributeCanBeRead(Connectors connectors) throws Exception {
        try (TestServer server = managed(connectors);
                RawClient client = server.client()) {
            client.get("/").answer();
            Set<ObjectName> ours = beans.queryNames(new ObjectName("dev.millrace.*:*"), null);
            assertTrue(ours.size() >= 3, "only " + ours);
            for (ObjectName name : ours) {
                assertFalse(name.toString().contains("lambda"), name.toString());
                if (!name.getDomain().equals("dev.millrace.testing")) {
                    assertNotEquals(0, beans.getMBeanInfo(name).getAttributes().length, name.toString());
                }
                for (MBeanAttributeInfo attribute : beans.getMBeanInfo(name).getAttributes()) {
                    assertTrue(attribute.isReadable(), name + " " + attribute);
                    assertFalse(attribute.getDescription().isBlank(), name + " " + attribute);
                    beans.getAttribute(name, attribute.getName());
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("dev.millrace.testing.Connectors#ours")
    void everySettingOfOursCanBeChanged(Connectors connectors) throws Exception {
        try (TestServer server = managed(connectors)) {
            Set<String> writable = Arrays.stream(
                            beans.getMBeanInfo(bean(type(server))).getAttributes())
                    .filter(MBeanAttributeInfo::isWritable)
                    .map(MBeanAttributeInfo::getName)
                    .collect(Collectors.toSet());
            int settings = 0;
            for (Method method : server.connector().getClass().getMethods()) {
                boolean ours = method.getDeclaringClass().getPackageName().startsWith("dev.millrace");
                if (ours && method.getName().startsWith("set") && !NO_ATTRIBUTES.contains(method.getName())) {
                    String name = Character.toLowerCase(method.getName().charAt(3))
                            + method.getName().substring(4);
                    assertTrue(writable.contains(name), name + " not in " + writable);
                    settings++;
                }
            }
            assertTrue(settings >= 8, "only " + settings);
        }
    }

    /** Settings stand in the table of settings: {@link ModuleFilesTest}. */
    @ParameterizedTest
    @MethodSource("dev.millrace.testing.Connectors#ours")
    void everyFigureStandsInTheDocumentation(Connectors connectors) throws Exception {
        String document = Files.readString(Path.of("..", "docs", "connectors.md"));
        try (TestServer server = managed(connectors)) {
            assertTrue(server.connector().isRunning());
            int figures = 0;
            for (ObjectName name : beans.queryNames(new ObjectName("dev.millrace.*:*"), null)) {
                for (MBeanAttributeInfo attribute : beans.getMBeanInfo(name).getAttributes()) {
                    // Of those that Jetty's own connectors have too, its documentation tells.
                    if (ownFigures(name).contains(attribute.getName()) && !attribute.isWritable()) {
                        assertTrue(document.contains("`" + attribute.getName() + "`"), name + " " + attribute);
                        figures++;
                    }
                }
            }
            assertTrue(figures >= 20, "only " + figures);
        }
    }

    /** Where a row names no bean, it is that of the row before. */
    @Test
    void everyFigureOfTheDocumentationIsThere() throws Exception {
        String document = Files.readString(Path.of("..", "docs", "connectors.md"));
        String section =
                document.substring(document.indexOf("\n## JMX and dump"), document.indexOf("\n## Flight recorder"));
        Map<String, Class<?>> classes = classes();
        List<String> beans = List.of();
        int figures = 0;
        for (Matcher row = ROW.matcher(section); row.find(); ) {
            if (row.group(1).strip().equals("both")) {
                beans = List.of("BioConnector", "NioConnector");
            } else if (!row.group(1).isBlank()) {
                beans = found(CLASS, row.group(1));
            }
            for (String figure : found(CODE, row.group(2))) {
                for (String bean : beans) {
                    assertTrue(classes.containsKey(bean), bean);
                    assertTrue(figures(classes.get(bean)).contains(figure), bean + " has no " + figure);
                    figures++;
                }
            }
        }
        assertTrue(figures >= 40, "only " + figures);
    }

    private static List<String> found(Pattern pattern, String text) {
        return pattern.matcher(text).results().map(MatchResult::group).toList();
    }

    private static Map<String, Class<?>> classes() throws Exception {
        Path root = Path.of("target", "classes");
        Map<String, Class<?>> classes = new HashMap<>();
        try (Stream<Path> files = Files.walk(root.resolve("dev"))) {
            for (Path file :
                    files.filter(file -> file.toString().endsWith(".class")).toList()) {
                String name = root.relativize(file).toString().replace('/', '.').replaceFirst("\\.class$", "");
                Class<?> type = Class.forName(name, false, ManagementTest.class.getClassLoader());
                classes.put(type.getSimpleName(), type);
            }
        }
        return classes;
    }

    private Set<String> ownFigures(ObjectName name) throws Exception {
        return figures(Class.forName(beans.getMBeanInfo(name).getClassName()));
    }

    private static Set<String> figures(Class<?> bean) {
        Set<String> figures = new HashSet<>();
        for (Class<?> type = bean; type.getName().startsWith("dev.millrace"); type = type.getSuperclass()) {
            for (Method method : type.getDeclaredMethods()) {
                if (method.isAnnotationPresent(ManagedAttribute.class)) {
                    String figure = method.getName().replaceFirst("^(get|is)", "");
                    figures.add(Character.toLowerCase(figure.charAt(0)) + figure.substring(1));
                }
            }
        }
        return figures;
    }

    @ParameterizedTest
    @EnumSource(names = {"BIO_PLATFORM"})
    void threadsOfBlockingConnections(Connectors connectors) throws Exception {
        try (TestServer server = managed(connectors);
                RawClient client = server.client()) {
            client.get("/").answer();
            assertEquals("platform", attribute("bioconnector", "threads"));
            assertEquals(false, attribute("bioconnector", "virtual"));
            assertEquals(1, attribute("bioconnector", "connectionThreadCount"));
            Await.until(
                    "reads",
                    () -> attribute("connectorstatistics", "threadsInRead").equals(1L));
            Await.until(
                    "woke up", () -> attribute("connectorstatistics", "wakeUps").equals(1L));
            assertEquals(0L, attribute("connectorstatistics", "handOvers"));
            assertEquals(0L, attribute("connectorstatistics", "backgroundWrites"));
            assertEquals(0L, attribute("connectorstatistics", "threadsInWrite"));
            assertEquals(0L, attribute("connectorstatistics", "refusedConnections"));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"BIO_PLATFORM"})
    void threadsThatWrite(Connectors connectors) throws Exception {
        Handler large = Handlers.of(
                (request, response, callback) -> response.write(true, ByteBuffer.allocate(LARGE_BYTES), callback));
        try (TestServer server = managed(connectors, large);
                RawClient client = new RawClient(server.port(), 4096).get("/")) {
            Await.until(
                    "writes",
                    () -> attribute("connectorstatistics", "threadsInWrite").equals(1L));
            assertEquals(LARGE_BYTES, client.answer().body().length);
            Await.until(
                    "has written",
                    () -> attribute("connectorstatistics", "threadsInWrite").equals(0L));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO_HANDOFF"})
    void selectorsAndDispatch(Connectors connectors) throws Exception {
        try (TestServer server = managed(connectors);
                RawClient client = server.client()) {
            client.get("/").answer();
            assertEquals(2, attribute("nioconnector", "selectors"));
            assertEquals("handoff", attribute("nioconnector", "dispatch"));
            assertEquals(1L, attribute("selectorstatistics", "handOvers"));
            assertTrue((long) attribute("selectorstatistics", "wakeUps") >= 2, "one to accept, one to read");
            Await.until(
                    "reads",
                    () -> attribute("selectorstatistics", "connectionsInRead").equals(1L));
            assertEquals(0L, attribute("selectorstatistics", "connectionsInWrite"));
            beans.setAttribute(bean("nioconnector"), new Attribute("dispatch", "selector"));
            assertEquals("selector", ((NioConnector) server.connector()).getDispatch());
            try (RawClient next = server.client()) {
                assertEquals("hello", next.get("/").answer().text());
            }
        }
    }

    @ParameterizedTest
    @MethodSource("dev.millrace.testing.Connectors#ours")
    void statisticsAndOperations(Connectors connectors) throws Exception {
        try (TestServer server = managed(connectors);
                RawClient client = server.client()) {
            client.get("/").answer();
            // The kernel has the bytes before they are counted.
            Await.until("bytes", () -> (long) attribute("transferstatistics", "copiedBytes") > 0);
            beans.invoke(bean("transferstatistics"), "reset", new Object[0], new String[0]);
            assertEquals(0L, attribute("transferstatistics", "copiedBytes"));
            assertEquals(1L, attribute("connectionstatistics", "connections"));
            Object dump = beans.invoke(bean(type(server)), "dump", new Object[0], new String[0]);
            assertTrue(dump.toString().contains("TransferStatistics"), dump.toString());
            beans.invoke(bean(type(server)), "stop", new Object[0], new String[0]);
            assertFalse(server.connector().isRunning());
        }
    }

    @ParameterizedTest
    @MethodSource("dev.millrace.testing.Connectors#ours")
    void theServersDumpShowsTheConnectorWithItsFigures(Connectors connectors) throws Exception {
        try (TestServer server = managed(connectors);
                RawClient client = server.client()) {
            client.get("/").answer();
            // The kernel has the bytes before they are counted.
            Await.until("bytes", () -> server.transfers().getCopiedBytes() > 0);
            String dump = server.server().dump();
            String connector = dump.lines()
                    .filter(line -> line.contains(server.connector().toString()))
                    .findFirst()
                    .orElse(null);
            assertNotNull(connector, dump);
            assertTrue(dump.contains(server.transfers().toString()), dump);
            assertTrue(dump.contains("ConnectionStatistics$Stats[total]"), dump);
            assertTrue(dump.contains("ConnectionSweeper[heads=0"), dump);
            assertTrue(dump.contains("ConnectionPermits[0 of any]"), dump);
            assertTrue(
                    dump.contains(
                            server.connector() instanceof BioConnector
                                    ? "ConnectorStatistics[inRead="
                                    : "SelectorStatistics[wakeUps="),
                    dump);
        }
    }
}
