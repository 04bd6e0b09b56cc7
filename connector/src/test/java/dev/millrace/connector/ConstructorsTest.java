package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Function;
import java.util.stream.Stream;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.resource.ResourceFactory;
import org.eclipse.jetty.xml.XmlConfiguration;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A connector for which no protocols are named has HTTP/1.1, as with Jetty's connector. */
class ConstructorsTest {
    private static final String ACCEPTORS = "<Arg name='acceptors' type='int'>1</Arg>";
    private static final String SELECTORS = "<Arg name='selectors' type='int'>1</Arg>";

    @TempDir
    Path folder;

    static Stream<Named<Function<Server, ServerConnector>>> withoutProtocols() {
        return Stream.of(
                Named.of("Jetty's connector, threads", server -> new ServerConnector(server, 1, 1)),
                Named.of("BioConnector", BioConnector::new),
                Named.of("BioConnector, threads", server -> new BioConnector(server, 1)),
                Named.of("NioConnector", NioConnector::new),
                Named.of("NioConnector, threads", server -> new NioConnector(server, 1, 1)));
    }

    @ParameterizedTest
    @MethodSource("withoutProtocols")
    void withoutProtocolsIsHttp(Function<Server, ServerConnector> constructor) throws Exception {
        assertServesHttp(constructor);
    }

    @ParameterizedTest
    @ValueSource(classes = {BioConnector.class, NioConnector.class, ServerConnector.class})
    void withoutProtocolsIsHttpInXmlToo(Class<?> type) throws Exception {
        assertServesHttp(server -> configure(server, type, ""));
        assertServesHttp(
                server -> configure(server, type, type == BioConnector.class ? ACCEPTORS : ACCEPTORS + SELECTORS));
    }

    @Test
    void theOrderOfNamedArgumentsDoesNotMatter() throws Exception {
        assertServesHttp(server -> configure(server, NioConnector.class, SELECTORS + ACCEPTORS));
    }

    private ServerConnector configure(Server server, Class<?> type, String arguments) {
        String document = "<!DOCTYPE Configure PUBLIC '-//Jetty//Configure//EN' 'https://jetty.org/configure_10_0.dtd'>"
                + "<Configure id='Server' class='org.eclipse.jetty.server.Server'><New id='made' class='"
                + type.getName() + "'><Arg name='server'><Ref refid='Server'/></Arg>" + arguments
                + "</New></Configure>";
        try (ResourceFactory.Closeable resources = ResourceFactory.closeable()) {
            Path file = Files.writeString(folder.resolve("connector.xml"), document);
            XmlConfiguration xml = new XmlConfiguration(resources.newResource(file));
            xml.configure(server);
            return (ServerConnector) xml.getIdMap().get("made");
        } catch (Exception x) {
            throw new AssertionError(x);
        }
    }

    private static void assertServesHttp(Function<Server, ServerConnector> constructor) throws Exception {
        try (TestServer server = new TestServer(constructor).start(null);
                RawClient client = server.client()) {
            assertEquals(404, client.get("/").answer().status());
        }
    }
}
