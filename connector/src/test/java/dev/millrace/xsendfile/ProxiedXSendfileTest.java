package dev.millrace.xsendfile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Logged;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.RawClient.Answer;
import dev.millrace.testing.TestServer;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.proxy.ProxyHandler;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.handler.ContextHandler;
import org.eclipse.jetty.server.handler.ContextHandlerCollection;
import org.eclipse.jetty.server.handler.EventsHandler;
import org.eclipse.jetty.util.thread.Invocable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Answers of other servers, which a proxy fetches: they name no file of this one, unless that is wanted. */
class ProxiedXSendfileTest {
    @TempDir
    Path directory;

    private final XSendfileHandler handler = new XSendfileHandler();
    private TestServer upstream;
    private volatile String named = "file.txt";

    /** Names the file, and says something besides. */
    private Handler naming() {
        return Handlers.of((request, response, callback) -> {
            String path = Request.getPathInContext(request);
            response.getHeaders()
                    .put(
                            path.endsWith("uri") ? "X-Accel-Redirect" : "X-Sendfile",
                            inUtf8(
                                    path.endsWith("uri")
                                            ? "/p/" + named
                                            : directory.resolve(named).toString()));
            response.getHeaders().put("X-Download-Id", "1");
            response.write(
                    true,
                    path.endsWith("empty") ? null : ByteBuffer.wrap("body".getBytes(StandardCharsets.US_ASCII)),
                    callback);
        });
    }

    /** Of each of these characters Jetty writes a byte: together they are the text in UTF-8. */
    private static String inUtf8(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }

    private ProxyHandler proxy() {
        return new ProxyHandler.Reverse(request -> HttpURI.build("http://127.0.0.1:" + upstream.port() + "/other")
                .path(request.getHttpURI().getPath()));
    }

    @BeforeEach
    void upstream() throws Exception {
        Files.writeString(directory.resolve("file.txt"), "the file");
        handler.addRoot(directory.toString());
        handler.addMapping("/p/", directory.toString());
        upstream = new TestServer(Connectors.STOCK::http).start(naming());
    }

    @AfterEach
    void stop() throws Exception {
        upstream.close();
    }

    private static void assertAnswers(RawClient client, String path, String text) throws Exception {
        Answer answer = client.get(path).answer();
        assertEquals(200, answer.status(), path);
        assertEquals(text, answer.text(), path);
        for (String name : new String[] {"X-Sendfile", "X-Accel-Redirect", "X-Download-Id"}) {
            assertNull(answer.headers().get(name), path);
        }
    }

    @Test
    void nameNoFile() throws Exception {
        handler.setHandler(proxy());
        try (Logged logged = new Logged(DelegatingContexts.class.getName());
                TestServer server = new TestServer(Connectors.NIO::http).start(handler);
                RawClient client = server.client()) {
            assertAnswers(client, "/path", "body");
            assertAnswers(client, "/uri", "body");
            assertAnswers(client, "/empty", "");
            assertEquals(1, logged.count("Not sending what another server names"));
        }
    }

    @Test
    void nameFilesWhereThatIsWanted() throws Exception {
        handler.setHandler(proxy());
        handler.setProxied(true);
        try (TestServer server = new TestServer(Connectors.NIO::http).start(handler);
                RawClient client = server.client()) {
            assertAnswers(client, "/path", "the file");
            assertAnswers(client, "/uri", "the file");
            handler.setProxied(false);
            assertAnswers(client, "/path", "body");
        }
    }

    /** As applications write names that are not in Java, where a field is a text. */
    @Test
    void nameFilesInUtf8() throws Exception {
        String name = "f\u00fcr.txt";
        Charset ofFiles = Charset.forName(System.getProperty("sun.jnu.encoding"));
        assumeTrue(ofFiles.newEncoder().canEncode(name), "the locale has no such name");
        Files.writeString(directory.resolve(name), "the other file");
        named = name;
        handler.setHandler(proxy());
        handler.setProxied(true);
        try (TestServer server = new TestServer(Connectors.NIO::http).start(handler);
                RawClient client = server.client()) {
            assertAnswers(client, "/path", "the other file");
            assertAnswers(client, "/uri", "the other file");
        }
    }

    /** A proxy that is in no context has no roots of one, also where that was asked first. */
    @Test
    void nameNoFilesOfAContextThatDeclines() throws Exception {
        Handler declining = Handlers.declining(Invocable.InvocationType.BLOCKING);
        for (boolean isWithin : new boolean[] {true, false}) {
            XSendfileHandler own = new XSendfileHandler();
            own.addContextRoot("/shop", directory.toString());
            own.setProxied(true);
            own.setHandler(new Handler.Sequence(new ContextHandler(isWithin ? proxy() : declining, "/shop"), proxy()));
            try (TestServer server = new TestServer(Connectors.NIO::http).start(own);
                    RawClient client = server.client()) {
                Answer answer = client.get("/shop/path").answer();
                assertEquals(isWithin ? 200 : 404, answer.status());
            }
        }
    }

    @Test
    void areToldFromThoseOfApplications() throws Exception {
        handler.setHandler(new ContextHandlerCollection(
                new ContextHandler(naming(), "/app"),
                // Wrapped, and behind a context: the proxy's response is not that of the handler.
                new ContextHandler(new EventsHandler(proxy()) {}, "/other")));
        try (TestServer server = new TestServer(Connectors.NIO::http).start(handler);
                RawClient client = server.client()) {
            for (int i = 0; i < 3; i++) {
                assertAnswers(client, "/app/path", "the file");
                assertAnswers(client, "/other/path", "body");
                assertAnswers(client, "/other/uri", "body");
            }
        }
    }

    @Test
    void areThatAfterARestartToo() throws Exception {
        ProxyHandler proxy = proxy();
        handler.setHandler(proxy);
        for (int i = 0; i < 3; i++) {
            try (TestServer server = new TestServer(Connectors.NIO::http).start(handler)) {
                try (RawClient client = server.client()) {
                    assertAnswers(client, "/path", "body");
                }
                // Which fails an exchange that the proxy has not brought to its end, and ends the connection with it.
                proxy.stop();
                proxy.start();
                try (RawClient client = server.client()) {
                    assertAnswers(client, "/path", "body");
                }
            }
        }
    }

    @Test
    void areThatOfAClientThatIsGivenToTheProxy() throws Exception {
        HttpClient client = new HttpClient();
        ProxyHandler proxy = proxy();
        proxy.setHttpClient(client);
        handler.setHandler(proxy);
        try (TestServer server = new TestServer(Connectors.NIO::http).start(handler);
                RawClient own = server.client()) {
            assertAnswers(own, "/path", "body");
        }
    }

    @Test
    void areThatOfAProxyThatComesLater() throws Exception {
        ContextHandlerCollection contexts = new ContextHandlerCollection(true);
        contexts.addHandler(new ContextHandler(naming(), "/app"));
        handler.setHandler(contexts);
        try (TestServer server = new TestServer(Connectors.NIO::http).start(handler);
                RawClient client = server.client()) {
            assertAnswers(client, "/app/path", "the file");
            ContextHandler later = new ContextHandler(proxy(), "/other");
            contexts.addHandler(later);
            later.start();
            assertAnswers(client, "/other/path", "body");
            assertAnswers(client, "/app/path", "the file");
        }
    }
}
