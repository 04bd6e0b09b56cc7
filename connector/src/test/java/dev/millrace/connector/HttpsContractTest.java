package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;

/** The same inside TLS. */
class HttpsContractTest extends HttpContractTest {
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
    int connections() {
        return 2;
    }

    /** A handshake computes for milliseconds, on both sides. */
    @Override
    int manyClients() {
        return 20;
    }

    /** The handshake waits for its peer, too. */
    @Override
    void assertHandOvers(int expected, long handOvers) {
        assertTrue(handOvers >= expected, () -> handOvers + " hand-overs");
    }

    /** No case here: its records leave by several calls, of which {@link LingeringCloseContractTest} has the cases. */
    @Override
    void answersBeforeItClosesOnALargeBodyThatNobodyReads() {}
}
