package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

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

/** How entity tags of conditions are compared: all of them (RFC 9110 section 5.3), and by which function (section 8.8.3.2). */
class ComparedTagsTest {
    @TempDir
    Path directory;

    @BeforeEach
    void write() throws Exception {
        TestFiles.write(directory, "file.bin", 1000);
    }

    private static void check(RawClient client, int status, String... fields) throws Exception {
        Answer answer = client.get("/file.bin", fields).answer();
        assertEquals(status, answer.status(), String.join(", ", fields));
    }

    private static void checkFields(RawClient client, String tag) throws Exception {
        check(client, 304, "If-None-Match: " + tag, "If-None-Match: \"other\"");
        check(
                client,
                304,
                "If-None-Match: \"other\"",
                "If-None-Match: \"another\", " + tag,
                "If-None-Match: \"third\"");
        check(client, 200, "If-None-Match: \"other\"", "If-None-Match: \"another\"");
        check(client, 200, "If-Match: " + tag, "If-Match: \"other\"");
        check(client, 200, "If-Match: \"other\"", "If-Match: " + tag);
        check(client, 412, "If-Match: \"other\"", "If-Match: \"another\"");
    }

    /** @param tag strong, without its quotes */
    private static void checkWeakly(RawClient client, String tag) throws Exception {
        for (String equal : new String[] {"\"" + tag + "\"", "W/\"" + tag + "\""}) {
            check(client, 304, "If-None-Match: " + equal);
            check(client, 304, "If-None-Match: \"other\", " + equal + ", W/\"more\"");
        }
        check(client, 200, "If-None-Match: \"" + tag + "x\", W/\"" + tag + "x\"");
        check(client, 200, "If-None-Match: \"x" + tag + "\", W/\"x" + tag + "\"");
    }

    @Test
    void areThoseOfAllFieldsForAFile() throws Exception {
        SendfileHandler files = Handlers.files(directory);
        files.setEtags(true);
        try (TestServer server = new TestServer(Connectors.NIO::http).start(files);
                RawClient client = server.client()) {
            String tag = client.get("/file.bin").answer().headers().get("ETag");
            assertTrue(tag.startsWith("W/\""), tag);
            checkFields(client, tag);
            checkWeakly(client, tag.substring(3, tag.length() - 1));
        }
    }

    private Handler delegating(String tag) {
        XSendfileHandler handler = new XSendfileHandler(Handlers.of((request, response, callback) -> {
            response.getHeaders().put("ETag", tag);
            response.getHeaders()
                    .put("X-Sendfile", directory.resolve("file.bin").toString());
            callback.succeeded();
        }));
        handler.addRoot(directory.toString());
        return handler;
    }

    /** A client's tag with the suffix of a compression may be the beginning of a later one, but for that suffix. */
    @Test
    void areComparedWholeForADelegatedFile() throws Exception {
        for (String tag : new String[] {"\"v10\"", "W/\"v10\"", "\"a-10\"", "\"a--10\""}) {
            String former = tag.replace("10", "1--gzip");
            String same = tag.replace("10", "10--gzip");
            try (TestServer server = new TestServer(Connectors.NIO::http).start(delegating(tag));
                    RawClient client = server.client()) {
                check(client, 200, "If-None-Match: " + former);
                check(client, 412, "If-Match: " + former);
                check(client, 304, "If-None-Match: " + same);
                check(client, 304, "If-None-Match: " + former + ", " + same);
            }
        }
    }

    /** An application may have an empty tag, with which a client's other one must not be mistaken. */
    @Test
    void areComparedWholeWithAnEmptyTag() throws Exception {
        try (TestServer server = new TestServer(Connectors.NIO::http).start(delegating("\"\""));
                RawClient client = server.client()) {
            check(client, 200, "If-None-Match: \"former--gzip\"");
            check(client, 412, "If-Match: \"former--gzip\"");
            check(client, 304, "If-None-Match: \"\"");
            check(client, 304, "If-None-Match: \"--gzip\"");
            check(client, 304, "If-None-Match: \"former--gzip\", \"\"");
        }
    }

    @Test
    void areComparedWeaklyWithAnEmptyTag() throws Exception {
        for (String tag : new String[] {"\"\"", "W/\"\""}) {
            try (TestServer server = new TestServer(Connectors.NIO::http).start(delegating(tag));
                    RawClient client = server.client()) {
                check(client, 304, "If-None-Match: \"\"");
                check(client, 304, "If-None-Match: W/\"\"");
                check(client, 304, "If-None-Match: W/\"other\", W/\"\", \"another\"");
                check(client, 200, "If-None-Match: W/\"other\", \"another\"");
                check(client, 200, "If-None-Match: \"W/\", \"x\"");
            }
        }
    }

    /** A proxy that compresses makes a strong tag a weak one, with which its clients ask again. */
    @Test
    void areComparedWeaklyForADelegatedFile() throws Exception {
        for (String tag : new String[] {"abc", "a-b--c"}) {
            for (String prefix : new String[] {"", "W/"}) {
                try (TestServer server =
                                new TestServer(Connectors.NIO::http).start(delegating(prefix + "\"" + tag + "\""));
                        RawClient client = server.client()) {
                    checkFields(client, prefix + "\"" + tag + "\"");
                    checkWeakly(client, tag);
                }
            }
        }
    }
}
