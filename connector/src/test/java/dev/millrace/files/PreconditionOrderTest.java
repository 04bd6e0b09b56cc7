package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.RawClient.Answer;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import dev.millrace.xsendfile.XSendfileHandler;
import java.nio.file.Path;
import org.eclipse.jetty.server.Handler;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The order in which conditions are judged: RFC 9110 section 13.2.2. */
class PreconditionOrderTest {
    private static final String LONG_AGO = "Mon, 01 Jan 2001 00:00:00 GMT";
    private static final String LATER = "Sat, 01 Jan 2095 00:00:00 GMT";
    private static final String OTHER = "\"other\"";

    @TempDir
    Path directory;

    @BeforeEach
    void write() throws Exception {
        TestFiles.write(directory, "file.bin", 100_000);
    }

    private static void check(RawClient client, int status, String... fields) throws Exception {
        for (String method : new String[] {"GET", "HEAD"}) {
            Answer answer = client.send(
                            method + " /file.bin HTTP/1.1\r\nHost: a\r\n" + String.join("\r\n", fields) + "\r\n\r\n")
                    .answer(method);
            assertEquals(status, answer.status(), method + " " + String.join(", ", fields));
        }
    }

    private static void checkDates(RawClient client) throws Exception {
        check(client, 412, "If-Unmodified-Since: " + LONG_AGO);
        check(client, 412, "If-Unmodified-Since: " + LONG_AGO, "If-Modified-Since: " + LATER);
        check(client, 412, "If-Modified-Since: " + LATER, "If-Unmodified-Since: " + LONG_AGO);
        check(client, 412, "If-Unmodified-Since: " + LONG_AGO, "If-Modified-Since: " + LONG_AGO);
        check(client, 304, "If-Unmodified-Since: " + LATER, "If-Modified-Since: " + LATER);
        check(client, 200, "If-Unmodified-Since: " + LATER, "If-Modified-Since: " + LONG_AGO);
        check(client, 206, "If-Unmodified-Since: " + LATER, "Range: bytes=0-9");
        check(client, 412, "If-Unmodified-Since: " + LONG_AGO, "Range: bytes=0-9");
    }

    private static void checkTags(RawClient client) throws Exception {
        String tag = client.send("HEAD /file.bin HTTP/1.1\r\nHost: a\r\n\r\n")
                .answer("HEAD")
                .headers()
                .get("ETag");
        assertNotNull(tag);
        check(client, 412, "If-Unmodified-Since: " + LONG_AGO, "If-None-Match: " + tag);
        check(client, 412, "If-Unmodified-Since: " + LONG_AGO, "If-None-Match: " + OTHER);
        check(client, 304, "If-Unmodified-Since: " + LATER, "If-None-Match: " + tag);
        check(client, 200, "If-Unmodified-Since: " + LATER, "If-None-Match: " + OTHER);
        // Section 13.1.3: not looked at beside If-None-Match.
        check(client, 200, "If-Unmodified-Since: " + LATER, "If-None-Match: " + OTHER, "If-Modified-Since: " + LATER);
        // Section 13.1.4: not looked at beside If-Match.
        check(client, 200, "If-Match: " + tag, "If-Unmodified-Since: " + LONG_AGO);
        check(client, 304, "If-Match: " + tag, "If-Unmodified-Since: " + LONG_AGO, "If-None-Match: " + tag);
        check(client, 412, "If-Match: " + OTHER, "If-Unmodified-Since: " + LATER, "If-None-Match: " + tag);
    }

    private static void check(Handler handler, boolean isTagged) throws Exception {
        try (TestServer server = new TestServer(Connectors.NIO::http).start(handler);
                RawClient client = server.client()) {
            checkDates(client);
            if (isTagged) {
                checkTags(client);
            }
        }
    }

    @Test
    void isKeptForAFile() throws Exception {
        SendfileHandler files = Handlers.files(directory);
        files.setEtags(true);
        check(files, true);
    }

    @Test
    void isKeptForAFileWithoutEntityTags() throws Exception {
        check(Handlers.files(directory), false);
    }

    @Test
    void isKeptForADelegatedFile() throws Exception {
        XSendfileHandler handler = new XSendfileHandler(Handlers.naming(() -> directory));
        handler.addRoot(directory.toString());
        check(handler, true);
    }
}
