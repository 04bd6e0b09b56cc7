package dev.millrace.xsendfile;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.eclipse.jetty.http.MimeTypes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A fault of the server's own while it looks for a file that an application has named. */
class FailedLookUpTest {
    @TempDir
    Path directory;

    @Test
    void isAnsweredToAnApplicationWithAThreadOfItsOwn() throws Exception {
        Files.writeString(directory.resolve("file.txt"), "text");
        XSendfileHandler handler = new XSendfileHandler(Handlers.of((request, response, callback) -> {
            response.getHeaders()
                    .put("X-Sendfile", directory.resolve("file.txt").toString());
            new Thread(callback::succeeded).start();
        }));
        handler.addRoot(directory.toString());
        handler.setMimeTypes(new MimeTypes.Mutable() {
            @Override
            public String getMimeByExtension(String filename) {
                throw new NoClassDefFoundError("meant: as where no descriptor is left to load a class by");
            }
        });
        try (TestServer server = new TestServer(Connectors.NIO::http).start(handler);
                RawClient client = server.client()) {
            assertEquals(500, client.get("/").answer().status());
        }
    }
}
