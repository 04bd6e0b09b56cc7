package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.ee11.SendfileServlet;
import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Leaks;
import dev.millrace.testing.Meanwhile;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.RawClient.Answer;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.handler.ContextHandler;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * A link that comes into the place of a file while a request for it stands still, after its look-up and before the first
 * byte of its answer: the context judges the link too.
 */
@EnabledOnOs(OS.LINUX)
class ReplacedByLinkTest {
    private static final String SECRET = "the secret of the house";

    @TempDir
    Path directory;

    private Path root;
    private Path file;

    @BeforeEach
    void write() throws Exception {
        root = Files.createDirectory(directory.resolve("root"));
        file = root.resolve("file.bin");
        TestFiles.write(root, "file.bin", 100_000);
        Files.writeString(directory.resolve("secret.txt"), SECRET);
    }

    /** Has something done, once, when an answer has its fields. */
    private static Handler halting(Handler handler, Meanwhile.Action meanwhile) {
        AtomicBoolean isDone = new AtomicBoolean();
        Meanwhile.Action once = () -> {
            if (isDone.compareAndSet(false, true)) {
                meanwhile.run();
            }
        };
        // Or its thread might be the one that selects.
        return Handlers.blockingAround(
                handler,
                (request, response, callback) ->
                        handler.handle(request, Meanwhile.atLastModified(request, response, once), callback));
    }

    /** Puts a link in the place of the file, has somebody else ask for it, and waits until the file is closed. */
    private void link(TestServer server, int status) throws Exception {
        Files.delete(file);
        Files.createSymbolicLink(file, directory.resolve("secret.txt"));
        try (RawClient other = server.client()) {
            assertEquals(status, other.get("/file.bin").answer().status());
        }
        Await.until("closed", () -> Leaks.descriptors(file) == 0);
    }

    private void check(int status, ContextHandler context) throws Exception {
        try (TestServer server = new TestServer(Connectors.NIO::http)) {
            server.start(halting(context, () -> link(server, status)));
            try (RawClient client = server.client()) {
                Answer answer = client.get("/file.bin").answer();
                assertEquals(status, answer.status());
                assertEquals(status == 200, answer.text().contains(SECRET), answer.text());
            }
        }
    }

    private ContextHandler handler() {
        SendfileHandler files = Handlers.files(root);
        files.getSettings().setValidMillis(0);
        ContextHandler context = new ContextHandler(files, "/");
        context.setBaseResourceAsPath(root);
        return context;
    }

    private ContextHandler servlet() {
        ServletContextHandler context = new ServletContextHandler();
        context.setBaseResourceAsPath(root);
        context.addServlet(new ServletHolder(new SendfileServlet()), "/*");
        return context;
    }

    @Test
    void leadsNowhereInAContextThatAllowsNone() throws Exception {
        ContextHandler context = handler();
        context.clearAliasChecks();
        check(404, context);
    }

    @Test
    void leadsNowhereForTheServletOfSuchAContext() throws Exception {
        ContextHandler context = servlet();
        context.clearAliasChecks();
        check(404, context);
    }

    /** Which is Jetty's default. */
    @Test
    void isFollowedInAContextThatAllowsLinks() throws Exception {
        check(200, handler());
    }
}
