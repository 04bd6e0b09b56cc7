package dev.millrace.webapp.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.connector.BioConnector;
import dev.millrace.connector.MillraceConnector;
import dev.millrace.connector.NioConnector;
import dev.millrace.files.SendfileSettings;
import dev.millrace.transfer.TransferAlgorithm;
import dev.millrace.xsendfile.XSendfileHandler;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.annotation.ManagedAttribute;
import org.junit.jupiter.api.Test;

class ConnectorsTest {
    /** What the connectors show by JMX, which are all settings and what they count. */
    private static Map<String, Object> attributes(Object bean) throws ReflectiveOperationException {
        Map<String, Object> attributes = new TreeMap<>();
        for (Method method : bean.getClass().getMethods()) {
            if (method.isAnnotationPresent(ManagedAttribute.class) && method.getParameterCount() == 0) {
                attributes.put(method.getName(), method.invoke(bean));
            }
        }
        return attributes;
    }

    @Test
    void defaultsAreThoseOfTheConnectors() throws Exception {
        Server server = new Server();
        List<ServerConnector> connectors = Connectors.create(server, Options.parse());
        List<ServerConnector> plain = List.of(new BioConnector(server), new NioConnector(server));
        assertEquals(plain.size(), connectors.size());
        for (int i = 0; i < plain.size(); i++) {
            ServerConnector expected = plain.get(i);
            ServerConnector actual = connectors.get(i);
            assertEquals(expected.getClass(), actual.getClass());
            Map<String, Object> own = attributes(expected);
            assertTrue(own.keySet().containsAll(Set.of("getWorkers", "getAlgorithm", "getAcceptQueueSize")));
            Map<String, Object> given = attributes(actual);
            // Not how it works, but where it is.
            for (String place : List.of("getHost", "getPort", "getName")) {
                own.remove(place);
                given.remove(place);
            }
            // A collection of factories, each with an identity of its own.
            own.replaceAll((name, value) -> String.valueOf(value).replaceAll("@[0-9a-f]+", ""));
            given.replaceAll((name, value) -> String.valueOf(value).replaceAll("@[0-9a-f]+", ""));
            assertEquals(own, given);
        }
    }

    @Test
    void defaultsAreThoseOfFileServing() throws UsageException {
        Options options = Options.parse();
        assertEquals(new SendfileSettings().getMaxCacheBytes(), options.number(Option.CONTENT_CACHE));
        assertEquals(
                new SendfileSettings().getMaxCacheBytes(),
                new XSendfileHandler().getSettings().getMaxCacheBytes());
        assertEquals(
                TransferAlgorithm.of("EqualBlocking").toString(),
                TransferAlgorithm.of("EqualBlocking(" + options.number(Option.BUFFER_SIZE) + ")")
                        .toString());
    }

    @Test
    void limitsAreThoseOfEveryConnector() throws UsageException {
        List<ServerConnector> connectors = Connectors.create(
                new Server(), Options.parse("--stock-port=0", "--accept-queue-size=77", "--max-connections=7"));
        assertEquals(3, connectors.size());
        connectors.forEach(connector -> {
            assertEquals(77, connector.getAcceptQueueSize());
            assertEquals(
                    7,
                    connector instanceof MillraceConnector millrace
                            ? millrace.getMaxConnections()
                            : connector.getBean(NetworkConnectionLimit.class).getMaxNetworkConnectionCount());
        });
    }
}
