package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.millrace.ee11.SendfileServlet;
import dev.millrace.files.cache.FileCloser;
import dev.millrace.files.cache.OpenFile;
import dev.millrace.files.cache.OpenFileCache;
import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Leaks;
import dev.millrace.testing.Logged;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import dev.millrace.transfer.TransferEndPoint;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.ee11.servlet.FilterHolder;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletContextRequest;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.AbstractEndPoint;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.MinimumDataRateHandler;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What gives up a write that is still pending: nobody touches its token once the file's count is given back. */
class RegionWriterTest {
    @TempDir
    Path directory;

    private final Mount mount =
            new Mount(new SendfileSettings(), new OpenFileCache<>(() -> 1, () -> 0, ignored -> {}), path -> null);
    private final List<String> calls = new ArrayList<>();
    private Callback written;

    private final TransferEndPoint endPoint = Fakes.of(
            TransferEndPoint.class,
            Map.of(
                    "announce",
                    ignored -> calls.add("announce"),
                    "withdraw",
                    ignored -> calls.add("withdraw"),
                    "cancelWrite",
                    ignored -> {
                        calls.add("cancelWrite");
                        return Callback.from(() -> {}, cause -> calls.add("failed"));
                    }));

    private Response response(Fakes.Method write) {
        return Fakes.response(HttpVersion.HTTP_1_1, endPoint, Map.of("isCommitted", ignored -> false, "write", write));
    }

    private Response pending() {
        return response(arguments -> written = (Callback) arguments[2]);
    }

    private void write(Response sink) throws IOException {
        write(sink, Files.writeString(directory.resolve("file.txt"), "token"), 0, 5);
    }

    private void write(Response sink, Path file, long offset, long bytes) throws IOException {
        new RegionWriter(
                        mount,
                        new SendPath(endPoint, sink, sink, null, false),
                        OpenFile.open(file, new FileCloser()),
                        false,
                        offset,
                        bytes,
                        Callback.from(() -> calls.add("succeeded"), cause -> calls.add("completed")))
                .iterate();
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void cancelsAWriteThatHasNotCompleted() throws Exception {
        write(pending());
        written.failed(new IOException("given up"));
        assertEquals(List.of("announce", "cancelWrite", "failed", "completed", "withdraw"), calls);
        assertEquals(0, Leaks.descriptors(directory));
    }

    // Somebody on the way has refused it: the answer may yet become an error.
    @Test
    void leavesAResponseThatIsNotCommitted() throws Exception {
        write(response(arguments -> {
            ((Callback) arguments[2]).failed(new IOException("refused"));
            return null;
        }));
        assertEquals(List.of("announce", "completed", "withdraw"), calls);
    }

    @Test
    void cancelsNothingThatHasCompleted() throws Exception {
        write(pending());
        written.succeeded();
        assertEquals(List.of("announce", "withdraw", "succeeded"), calls);
    }

    // No mapping holds both sides of a gibibyte: there is a token for each, and each may be sent at once.
    @Test
    void asksBetweenTokensWhetherTheFileWasWrittenOver() throws Exception {
        long gibibyte = 1L << 30;
        Path file = directory.resolve("large.bin");
        TestFiles.resize(file, gibibyte + 5);
        write(pending(), file, gibibyte - 5, 10);
        Files.setLastModifiedTime(file, FileTime.fromMillis(0));
        long begin = System.nanoTime();
        Await.until("a file is looked at again", () -> System.nanoTime() - begin > 20_000_000);
        written.succeeded();
        assertEquals(List.of("announce", "withdraw", "completed"), calls);
    }

    /** Whether a write is pending when the servlet below says that it has failed. */
    private static final class Observer implements Filter {
        private final CompletableFuture<Boolean> wasPending = new CompletableFuture<>();

        @Override
        public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
                throws IOException, ServletException {
            try {
                chain.doFilter(request, response);
            } catch (IOException | ServletException x) {
                EndPoint endPoint = ServletContextRequest.getServletContextRequest(request)
                        .getConnectionMetaData()
                        .getConnection()
                        .getEndPoint();
                wasPending.complete(
                        ((AbstractEndPoint) endPoint).getWriteFlusher().isPending());
                throw x;
            }
        }
    }

    private Handler servlet(Observer observer) {
        ServletContextHandler context = new ServletContextHandler("/");
        ServletHolder files = context.addServlet(SendfileServlet.class, "/*");
        files.setInitParameter("baseResource", directory.toString());
        // Then another thread waits for the write, and learns of its end when the callback is told.
        files.setAsyncSupported(false);
        context.addFilter(new FilterHolder(observer), "/*", EnumSet.of(DispatcherType.REQUEST));
        return context;
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void isNotPendingWhenAMinimumDataRateHasEndedIt() throws Exception {
        long bytes = 100_000_000;
        TestFiles.resize(directory.resolve("large.bin"), bytes);
        Observer observer = new Observer();
        MinimumDataRateHandler rate = new MinimumDataRateHandler(0, bytes * 5);
        rate.setHandler(servlet(observer));
        try (Logged logged = new Logged("org.eclipse.jetty");
                TestServer server = new TestServer(Connectors.NIO::http).start(rate)) {
            try (RawClient client = new RawClient(server.port(), 4096)) {
                client.get("/large.bin");
                assertFalse(observer.wasPending.get(30, TimeUnit.SECONDS));
                server.awaitNoEndPoints();
            }
            assertEquals(0, logged.count("NullPointer"));
        }
        Await.until("closed", () -> Leaks.descriptors(directory) == 0);
    }
}
