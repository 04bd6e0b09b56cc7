package dev.millrace.files;

import dev.millrace.testing.RawClient;
import dev.millrace.testing.Tls;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/** The same inside TLS, which reads what it encrypts. */
class ShortenedFileOverTlsTest extends ShortenedFileTest {
    private final Tls tls = new Tls();

    @Override
    int size() {
        return 16_000_000;
    }

    @Override
    int shorter() {
        return 10_000_000;
    }

    @Override
    ServerConnector connector(Server server) {
        return connectors.https(server, tls);
    }

    @Override
    RawClient client(int port, int receiveBufferBytes) throws Exception {
        return tls.over(super.client(port, receiveBufferBytes).socket());
    }
}
