package dev.millrace.files;

import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;

/** The same inside TLS, which reads what it encrypts. */
class FileRangesOverTlsTest extends FileRangesTest {
    private final Tls tls = new Tls();

    @Override
    TestServer server() {
        return new TestServer(s -> connectors.https(s, tls));
    }

    @Override
    RawClient client(int port) throws Exception {
        return tls.connect(port);
    }

    @Override
    String way() {
        return Obstacle.END_POINT.name();
    }

    @Override
    int byKernel(int answers) {
        return 0;
    }
}
