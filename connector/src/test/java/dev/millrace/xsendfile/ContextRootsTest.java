package dev.millrace.xsendfile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.RawClient.Answer;
import dev.millrace.testing.Servlets;
import dev.millrace.testing.TestServer;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServlet;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ContextHandler;
import org.eclipse.jetty.server.handler.ContextHandlerCollection;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Invocable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Roots that one application has, and no other. */
class ContextRootsTest {
    @TempDir
    Path directory;

    private final XSendfileHandler handler = new XSendfileHandler();

    /** Names what the request says. */
    private static final class Naming extends Handler.Abstract {
        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            String file = request.getHeaders().get("X-File");
            if (file == null) {
                return false;
            }
            response.getHeaders().put(file.startsWith("/p/") ? "X-Accel-Redirect" : "X-Sendfile", file);
            callback.succeeded();
            return true;
        }
    }

    private static HttpServlet namingServlet() {
        return Servlets.get((request, response) -> {
            if (request.getParameter("forward") != null && request.getAttribute("forwarded") == null) {
                request.setAttribute("forwarded", true);
                AsyncContext async = request.startAsync();
                async.dispatch(request.getServletContext().getContext(request.getParameter("forward")), "/");
                return;
            }
            response.setHeader("X-Sendfile", request.getHeader("X-File"));
            if (request.getParameter("async") != null) {
                AsyncContext async = request.startAsync();
                async.start(async::complete);
            }
        });
    }

    @BeforeEach
    void files() throws Exception {
        for (String name : List.of("a", "b", "all")) {
            Files.writeString(Files.createDirectory(directory.resolve(name)).resolve("file"), name);
        }
        Files.createSymbolicLink(directory.resolve("a/link"), directory.resolve("b/file"));
    }

    private String file(String root) {
        return directory.resolve(root).resolve("file").toString();
    }

    private static String answer(RawClient client, String path, String file) throws Exception {
        Answer answer = client.send("GET " + path + " HTTP/1.1\r\nHost: a\r\nX-File: " + file + "\r\n\r\n")
                .answer();
        return answer.status() == 200 ? answer.text() : String.valueOf(answer.status());
    }

    @Test
    void areThatContextsBesidesThoseOfAll() throws Exception {
        handler.addRoot(directory.resolve("all").toString());
        handler.addContextRoot("/a", directory.resolve("a").toString());
        handler.addContextRoot("/b", directory.resolve("b").toString());
        handler.setHandler(new ContextHandlerCollection(
                new ContextHandler(new Naming(), "/a"),
                new ContextHandler(new Naming(), "/b"),
                new ContextHandler(new Naming(), "/")));
        try (TestServer server = new TestServer(Connectors.NIO::http).start(handler);
                RawClient client = server.client()) {
            // Again and again: an open file of one is none of the other.
            for (int i = 0; i < 2; i++) {
                for (String path : List.of("/a/", "/b/", "/")) {
                    assertEquals("all", answer(client, path, file("all")));
                }
                assertEquals("a", answer(client, "/a/", file("a")));
                assertEquals("404", answer(client, "/b/", file("a")));
                assertEquals("404", answer(client, "/", file("a")));
                assertEquals("b", answer(client, "/b/x", file("b")));
                assertEquals("404", answer(client, "/a/x", file("b")));
                assertEquals(
                        "404", answer(client, "/a/", directory.resolve("a/link").toString()), "out of its root");
            }
        }
    }

    @Test
    void areMappingsToo() throws Exception {
        handler.addMapping("/p/", directory.resolve("all").toString());
        handler.addContextMapping("/a", "/p/", directory.resolve("a").toString());
        handler.addContextMapping("/b", "/p/more/", directory.resolve("b").toString());
        handler.setHandler(new ContextHandlerCollection(
                new ContextHandler(new Naming(), "/a"), new ContextHandler(new Naming(), "/b")));
        try (TestServer server = new TestServer(Connectors.NIO::http).start(handler);
                RawClient client = server.client()) {
            assertEquals("a", answer(client, "/a/", "/p/file"), "its own comes before that of all");
            assertEquals("all", answer(client, "/b/", "/p/file"));
            assertEquals("b", answer(client, "/b/", "/p/more/file"));
            assertEquals("404", answer(client, "/a/", "/p/more/file"));
        }
    }

    @Test
    void areThoseOfTheContextThatAnswersAndNotOfOneThatDeclines() throws Exception {
        handler.addContextRoot("/a", directory.resolve("a").toString());
        Handler declining = Handlers.declining(Invocable.InvocationType.BLOCKING);
        handler.setHandler(
                new Handler.Sequence(new ContextHandler(declining, "/a"), new ContextHandler(new Naming(), "/")));
        try (TestServer server = new TestServer(Connectors.NIO::http).start(handler);
                RawClient client = server.client()) {
            assertEquals("404", answer(client, "/a/", file("a")));
        }
    }

    @Test
    void areNotThoseOfAContextThatDeclinesWhereWhatAnswersIsInNone() throws Exception {
        handler.addRoot(directory.resolve("all").toString());
        handler.addContextRoot("/a", directory.resolve("a").toString());
        Handler declining = Handlers.declining(Invocable.InvocationType.BLOCKING);
        handler.setHandler(new Handler.Sequence(new ContextHandler(declining, "/a"), new Naming()));
        try (TestServer server = new TestServer(Connectors.NIO::http).start(handler);
                RawClient client = server.client()) {
            assertEquals("404", answer(client, "/a/", file("a")));
            assertEquals("all", answer(client, "/a/", file("all")));
        }
    }

    @Test
    void areThoseOfTheApplicationThatWasAskedWhicheverItDispatchesTo() throws Exception {
        handler.addContextRoot("/a", directory.resolve("a").toString());
        handler.addContextRoot("/b", directory.resolve("b").toString());
        ContextHandlerCollection contexts = new ContextHandlerCollection();
        for (String path : List.of("/a", "/b")) {
            ServletContextHandler context = new ServletContextHandler(path);
            context.setCrossContextDispatchSupported(true);
            ServletHolder servlet = new ServletHolder(namingServlet());
            servlet.setAsyncSupported(true);
            context.addServlet(servlet, "/*");
            contexts.addHandler(context);
        }
        handler.setHandler(contexts);
        try (TestServer server = new TestServer(Connectors.NIO::http).start(handler);
                RawClient client = server.client()) {
            assertEquals("a", answer(client, "/a/", file("a")));
            assertEquals("404", answer(client, "/a/", file("b")));
            assertEquals("a", answer(client, "/a/?async=1", file("a")));
            assertEquals("404", answer(client, "/a/?async=1", file("b")));
            assertEquals("a", answer(client, "/a/?forward=/b", file("a")));
            assertEquals("404", answer(client, "/a/?forward=/b", file("b")));
        }
    }

    @Test
    void areToldToTheApplication() throws Exception {
        handler.addRoot(directory.resolve("all").toString());
        handler.addContextRoot("/a", directory.resolve("a").toString());
        ContextHandler context = new ContextHandler(new Naming(), "/a");
        ContextHandler other = new ContextHandler(new Naming(), "/b");
        handler.setHandler(new ContextHandlerCollection(context, other));
        try (TestServer ignored = new TestServer(Connectors.NIO::http).start(handler)) {
            assertTrue(accepted(context).test(Path.of(file("a"))));
            assertTrue(accepted(context).test(Path.of(file("all"))));
            assertFalse(accepted(context).test(Path.of(file("b"))));
            assertFalse(accepted(other).test(Path.of(file("a"))));
            assertTrue(accepted(other).test(Path.of(file("all"))));
        }
    }

    @SuppressWarnings("unchecked")
    private static Predicate<Path> accepted(ContextHandler context) {
        return (Predicate<Path>) context.getContext().getAttribute(XSendfileHandler.CONTEXT_ATTRIBUTE);
    }

    @Test
    void areListsInAConfiguration() throws Exception {
        handler.addContextRoots(directory.toString(), "/a=a, /b = " + directory.resolve("b"));
        handler.addContextMappings(directory.toString(), "/a=/p/=a,/=/p/=all");
        handler.setHandler(new ContextHandlerCollection(
                new ContextHandler(new Naming(), "/a"),
                new ContextHandler(new Naming(), "/b"),
                new ContextHandler(new Naming(), "/")));
        try (TestServer server = new TestServer(Connectors.NIO::http).start(handler);
                RawClient client = server.client()) {
            assertEquals("a", answer(client, "/a/", file("a")));
            assertEquals("b", answer(client, "/b/", file("b")));
            assertEquals("404", answer(client, "/", file("a")));
            assertEquals("a", answer(client, "/a/", "/p/file"));
            assertEquals("all", answer(client, "/", "/p/file"));
            assertEquals("404", answer(client, "/b/", "/p/file"));
        }
        for (String wrong : List.of("/a", "a=files", "/a/=files")) {
            assertThrows(IllegalArgumentException.class, () -> handler.addContextRoots("/base", wrong), wrong);
        }
        for (String wrong : List.of("/a=/p/", "/a=p=files", "a=/p/=files")) {
            assertThrows(IllegalArgumentException.class, () -> handler.addContextMappings("/base", wrong), wrong);
        }
    }
}
