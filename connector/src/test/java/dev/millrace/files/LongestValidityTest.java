package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.ee11.SendfileServlet;
import dev.millrace.files.cache.OpenFileCache;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.server.Handler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Times of validity that are longer than anybody counts. */
class LongestValidityTest {
    @TempDir
    Path directory;

    private void checkKept(Handler handler) throws Exception {
        Path file = Files.writeString(directory.resolve("file.txt"), "first");
        try (TestServer server = new TestServer(Connectors.NIO::http).start(handler);
                RawClient client = server.client()) {
            assertEquals("first", client.get("/file.txt").answer().text());
            assertEquals(404, client.get("/late.txt").answer().status());
            Files.writeString(directory.resolve("late.txt"), "late");
            Files.delete(file);
            assertEquals("first", client.get("/file.txt").answer().text());
            assertEquals(404, client.get("/late.txt").answer().status());
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {Long.MAX_VALUE, Long.MAX_VALUE / 2, Long.MAX_VALUE / 60 + 1, Long.MAX_VALUE / 1_000_000})
    void longerThanTheClock(long millis) throws Exception {
        SendfileHandler files = Handlers.files(directory);
        files.getSettings().setValidMillis(millis);
        files.getSettings().setMissingMillis(millis);
        assertEquals(millis, files.getSettings().getValidMillis());
        checkKept(files);
    }

    @Test
    void longerThanTheClockToTheServlet() throws Exception {
        ServletContextHandler context = new ServletContextHandler("/");
        ServletHolder files = context.addServlet(SendfileServlet.class, "/*");
        files.setInitParameter("baseResource", directory.toString());
        files.setInitParameter("cacheValidationTime", Long.toString(Long.MAX_VALUE));
        checkKept(context);
    }

    @ParameterizedTest
    @ValueSource(longs = {Long.MAX_VALUE, Long.MAX_VALUE / 60 + 1})
    void fromTheBeginning(long millis) {
        assertTrue(new OpenFileCache<>(() -> 1, () -> millis, content -> {})
                .toString()
                .contains("validMillis=" + millis));
    }
}
