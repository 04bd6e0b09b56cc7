package dev.millrace.connector;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import java.nio.file.Path;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.SslConnectionFactory;
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

    final TestServer server(SslConnectionFactory ssl) {
        TestServer server = new TestServer(s -> connectors.on(s, ssl, new HttpConnectionFactory()));
        server.connector().setAcceptedSendBufferSize(64 * 1024);
        return server;
    }

    final void assertNothingIsTaken() {
        Await.until("memory given back", () -> memory.getTaken() == 0);
        Await.until("all batches free", () -> memory.getFree() == BATCHES);
    }
}
