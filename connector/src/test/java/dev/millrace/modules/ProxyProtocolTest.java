package dev.millrace.modules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.millrace.connector.MillraceConnector;
import dev.millrace.connector.NioConnector;
import java.util.Arrays;
import java.util.List;
import org.eclipse.jetty.server.Server;
import org.junit.jupiter.api.Test;

/** Which connectors expect the PROXY protocol. */
class ProxyProtocolTest {
    private final Server server = new Server();

    private void add(String... names) {
        for (String name : names) {
            MillraceConnector connector = new NioConnector(server);
            connector.setName(name);
            server.addConnector(connector);
        }
    }

    private List<String> protocols() {
        return Arrays.stream(server.getConnectors())
                .map(connector -> ((MillraceConnector) connector).getDefaultProtocol())
                .toList();
    }

    @Test
    void allDoUnlessSomeAreNamed() {
        add("a", "b");
        ProxyProtocol.expect(server, null);
        assertEquals(List.of("[proxy]", "[proxy]"), protocols());
    }

    /** Contexts choose connectors by their names, so that two may have one. */
    @Test
    void allOfANameDo() {
        add("public", "inside", "public");
        ProxyProtocol.expect(server, "public");
        assertEquals(List.of("[proxy]", "HTTP/1.1", "[proxy]"), protocols());
    }

    @Test
    void aNameOfNoneChangesNothing() {
        add("a");
        String message = assertThrows(IllegalArgumentException.class, () -> ProxyProtocol.expect(server, "a, b"))
                .getMessage();
        assertEquals("millrace.proxyProtocol.connectors: no connector \"b\" among [a]", message);
        assertEquals(List.of("HTTP/1.1"), protocols());
    }
}
