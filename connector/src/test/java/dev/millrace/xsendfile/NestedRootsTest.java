package dev.millrace.xsendfile;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Logged;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Roots and mappings one within the other: a link leads out of the innermost, also when it leads into the outer one. */
class NestedRootsTest {
    @TempDir
    Path directory;

    private final XSendfileHandler handler = new XSendfileHandler(Handlers.of((request, response, callback) -> {
        for (String name : new String[] {"X-Sendfile", "X-Accel-Redirect"}) {
            if (request.getHeaders().contains(name)) {
                response.getHeaders().put(name, request.getHeaders().get(name));
            }
        }
        callback.succeeded();
    }));
    private Path inner;
    private Path secret;

    @BeforeEach
    void files() throws Exception {
        inner = Files.createDirectories(directory.resolve("srv/public"));
        secret = Files.writeString(
                Files.createDirectory(directory.resolve("srv/private")).resolve("key"), "secret");
        Files.writeString(inner.resolve("page"), "page");
        Files.createSymbolicLink(inner.resolve("link"), Path.of("../private/key"));
        Files.createSymbolicLink(inner.resolve("within"), Path.of("page"));
        Files.createSymbolicLink(inner.resolveSibling("to-page"), inner.resolve("page"));
    }

    private void assertLinksStayWithin() throws Exception {
        handler.addTransferListener(result -> {});
        try (Logged logged = new Logged(DelegatedRoots.class.getName());
                TestServer server = new TestServer(Connectors.NIO::http).start(handler);
                RawClient client = server.client()) {
            assertEquals("200 page", answer(client, "X-Accel-Redirect: /public/page"));
            assertEquals("200 page", answer(client, "X-Accel-Redirect: /public/within"));
            assertEquals("404", answer(client, "X-Accel-Redirect: /public/link"));
            assertEquals("404", answer(client, "X-Sendfile: " + inner.resolve("link")));
            assertEquals(2, logged.count("it leads out of " + inner));
            assertEquals("200 page", answer(client, "X-Sendfile: " + inner.resolve("within")));
            // Those of the outer root lead where it reaches, and it reaches into the inner one.
            assertEquals("200 secret", answer(client, "X-Sendfile: " + secret));
            assertEquals("200 page", answer(client, "X-Sendfile: " + inner.resolveSibling("to-page")));
            assertEquals("404", answer(client, "X-Accel-Redirect: /public/link"));
        }
    }

    private static String answer(RawClient client, String field) throws Exception {
        RawClient.Answer answer = client.send("GET / HTTP/1.1\r\nHost: a\r\n" + field + "\r\n\r\n")
                .answer();
        return answer.status() == 200 ? "200 " + answer.text() : String.valueOf(answer.status());
    }

    @Test
    void aMappingWithinARoot() throws Exception {
        handler.addRoot(directory.resolve("srv").toString());
        handler.addMapping("/public/", inner.toString());
        assertLinksStayWithin();
    }

    @Test
    void aRootWithinARootAndAMapping() throws Exception {
        handler.addRoot(directory.resolve("srv").toString());
        handler.addMapping("/", directory.resolve("srv").toString());
        handler.addRoot(inner.toString());
        assertLinksStayWithin();
    }
}
