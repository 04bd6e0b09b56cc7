package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Logged;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import dev.millrace.xsendfile.XSendfileHandler;
import java.nio.file.Path;
import org.eclipse.jetty.http.content.HttpContent;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.server.Handler;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Conditions whose entity tags are none: the fault of the peer, who is told so, and nothing for the log. */
class MalformedConditionsTest {
    @TempDir
    Path directory;

    @BeforeEach
    void write() throws Exception {
        TestFiles.write(directory, "file.bin", 1000);
    }

    private static int status(TestServer server, String field) throws Exception {
        try (RawClient client = server.client()) {
            return client.get("/file.bin", field).answer().status();
        }
    }

    private static void check(Handler handler) throws Exception {
        try (Logged logged = new Logged("org.eclipse.jetty.server.ResourceService");
                TestServer server = new TestServer(Connectors.NIO::http).start(handler)) {
            for (String tags : new String[] {"a\"b\"", "ab\"c\"", "\"a\"b", "\"a", "a\"", ";a=\"b\""}) {
                assertEquals(400, status(server, "If-None-Match: " + tags), tags);
                assertEquals(400, status(server, "If-Match: " + tags), tags);
            }
            assertEquals(0, logged.count("Failed to serve"));
            assertEquals(200, status(server, "If-None-Match: \"a\", W/\"b\", c"));
        }
    }

    @Test
    void areRefusedForAFile() throws Exception {
        SendfileHandler files = Handlers.files(directory);
        files.setEtags(true);
        check(files);
    }

    @Test
    void areRefusedForADelegatedFile() throws Exception {
        XSendfileHandler handler = new XSendfileHandler(Handlers.naming(() -> directory));
        handler.addRoot(directory.toString());
        check(handler);
    }

    /** With tags that are some. */
    @Test
    void areNotToBlameForAFaultOfOurs() throws Exception {
        SendfileHandler files = new SendfileHandler() {
            @Override
            protected HttpContent.Factory newHttpContentFactory(ByteBufferPool.Sized bufferPool) {
                HttpContent.Factory factory = super.newHttpContentFactory(bufferPool);
                return path -> new HttpContent.Wrapper(factory.getContent(path)) {
                    @Override
                    public String getETagValue() {
                        throw new IndexOutOfBoundsException("a fault");
                    }
                };
            }
        };
        files.setBaseResourceAsString(directory.toString());
        files.setEtags(true);
        try (Logged logged = new Logged("org.eclipse.jetty.server.ResourceService");
                TestServer server = new TestServer(Connectors.NIO::http).start(files)) {
            assertEquals(500, status(server, "If-None-Match: \"a\", W/\"b\""));
            assertEquals(1, logged.count("Failed to serve"));
        }
    }
}
