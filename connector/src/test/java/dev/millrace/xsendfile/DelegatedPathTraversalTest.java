package dev.millrace.xsendfile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.GuardedRoot;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.RawClient.Answer;
import dev.millrace.testing.TestServer;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An application that names what its client asked for, unseen, sends nothing from outside of the root all the same. */
@Timeout(60)
class DelegatedPathTraversalTest {
    @TempDir
    Path directory;

    private final AtomicReference<String> named = new AtomicReference<>();
    private GuardedRoot root;

    @BeforeEach
    void files() throws Exception {
        root = new GuardedRoot(directory);
    }

    private XSendfileHandler naming(String field) {
        return new XSendfileHandler(Handlers.fields(() -> Map.of(field, named.get())));
    }

    private Answer answer(RawClient client, String method, String name) throws Exception {
        named.set(name);
        Answer answer =
                client.send(method + " / HTTP/1.1\r\nHost: localhost\r\n\r\n").answer(method);
        assertNull(answer.headers().get("X-Accel-Redirect"), name);
        assertNull(answer.headers().get("X-Sendfile"), name);
        return answer;
    }

    private void checkGuarded(XSendfileHandler handler, String prefix) throws Exception {
        try (TestServer server = new TestServer(Connectors.NIO::http).start(handler);
                RawClient client = server.client()) {
            for (String within : new String[] {"/file.txt", "/inside.txt", "/sub/../file.txt"}) {
                assertEquals("harmless", answer(client, "GET", prefix + within).text(), within);
            }
            for (String way : GuardedRoot.waysOut()) {
                for (String method : new String[] {"GET", "HEAD"}) {
                    Answer answer = answer(client, method, prefix + way);
                    GuardedRoot.assertGuarded(way, answer);
                    assertEquals(404, answer.status(), way);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/p", "/p%", "/a/b.c"})
    void noUriLeadsOut(String prefix) throws Exception {
        XSendfileHandler handler = naming("X-Accel-Redirect");
        handler.addMapping(prefix + "/", root.path().toString());
        checkGuarded(handler, prefix.replace("%", "%25"));
    }

    // Beside the mapping, roots for X-Sendfile: a URI must not lead into them, though they may be sent from.
    @Test
    void noUriLeadsFromAMappingIntoAnotherRoot() throws Exception {
        XSendfileHandler handler = naming("X-Accel-Redirect");
        handler.addMapping("/p/", root.path().toString());
        handler.addRoot(directory.toString());
        try (TestServer server = new TestServer(Connectors.NIO::http).start(handler);
                RawClient client = server.client()) {
            assertEquals("harmless", answer(client, "GET", "/p/file.txt").text());
            for (String way : new String[] {
                "/p/../X",
                "/p/%2e%2e/X",
                "/p/sub/..%2f..%2fX",
                "/X",
                directory.resolve("X").toString()
            }) {
                GuardedRoot.assertGuarded(way, answer(client, "GET", way));
            }
        }
    }

    @Test
    void noPathLeadsOut() throws Exception {
        XSendfileHandler handler = naming("X-Sendfile");
        handler.addRoot(root.path().toString());
        checkGuarded(handler, root.path().toString());
    }
}
