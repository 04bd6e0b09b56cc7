package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import java.util.Collection;
import org.eclipse.jetty.server.DetectorConnectionFactory;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Clear text and TLS on one port: memory of that TLS is let go of too when nobody uses it. */
class DetectedTlsTest {
    private static final int BYTES = 1_000_000;

    @ParameterizedTest
    @EnumSource(names = {"STOCK", "NIO", "BIO_PLATFORM"})
    void hasItsIdleMemoryWatched(Connectors connectors) throws Exception {
        Tls tls = new Tls();
        TlsMemory memory = new TlsMemory(2);
        TlsConnectionFactory ssl = new TlsConnectionFactory(tls.server(), "http/1.1", memory);
        DetectorConnectionFactory either = new DetectorConnectionFactory(ssl);
        try (TestServer server = new TestServer(s -> connectors.on(s, either, new HttpConnectionFactory()))
                .start(Handlers.zeros(BYTES))) {
            try (RawClient secure = tls.connect(server.port());
                    RawClient plain = server.client()) {
                assertEquals(BYTES, plain.get("/").answer().body().length);
                assertEquals(BYTES, secure.get("/").answer().body().length);
            }
            // It is counted out first.
            Await.until("memory given back", () -> memory.getTaken() == 0 && memory.getIdleBytes() > 0);
            Collection<IdleTlsMemory> watches = server.connector().getBeans(IdleTlsMemory.class);
            assertEquals(1, watches.size());
            IdleTlsMemory watch = watches.iterator().next();
            assertTrue(watch.isRunning());
            assertTrue(watch.getIdleBytes() > 0);
            assertEquals(memory.getIdleBytes(), watch.getIdleBytes());
        }
    }
}
