package dev.millrace.connector;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import java.nio.file.Path;
import org.eclipse.jetty.alpn.server.ALPNServerConnectionFactory;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.http2.server.HTTP2ServerConnectionFactory;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Keys, a file that no socket takes at once, and memory of which all is to be given back. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#all")
@Timeout(120)
abstract class TlsContract {
    static final int BATCHES = 2;
    static final String HTTP = HttpVersion.HTTP_1_1.asString();
    static final String ALPN = "alpn";

    @TempDir
    Path directory;

    @Parameter
    Connectors connectors;

    final TlsMemory memory = new TlsMemory(BATCHES);
    final int fileBytes;
    byte[] bytes;
    Tls tls;

    TlsContract(int fileBytes) {
        this.fileBytes = fileBytes;
    }

    @BeforeEach
    void makeFile() throws Exception {
        tls = new Tls();
        bytes = TestFiles.write(directory, "file.bin", fileBytes);
    }

    /** TLS as it belongs to the connector: Jetty's with Jetty's own, ours with ours. */
    final SslConnectionFactory ssl(SslContextFactory.Server context, String next) {
        return connectors == Connectors.STOCK
                ? new SslConnectionFactory(context, next)
                : new TlsConnectionFactory(context, next, memory);
    }

    final TestServer server(SslConnectionFactory ssl) {
        return serverOf(ssl, new HttpConnectionFactory());
    }

    /** HTTP/2 and nothing else, agreed on in the handshake. */
    final TestServer http2Server(SslConnectionFactory ssl, HttpConfiguration configuration) {
        return serverOf(ssl, new ALPNServerConnectionFactory("h2"), new HTTP2ServerConnectionFactory(configuration));
    }

    private TestServer serverOf(ConnectionFactory... factories) {
        TestServer server = new TestServer(s -> connectors.on(s, factories));
        server.connector().setAcceptedSendBufferSize(64 * 1024);
        return server;
    }

    final void assertNothingIsTaken() {
        Await.until("memory given back", () -> memory.getTaken() == 0);
        Await.until("all batches free", () -> memory.getFree() == BATCHES);
    }
}
