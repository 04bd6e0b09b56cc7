package dev.millrace.ee11;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.connector.BioConnector;
import dev.millrace.connector.NioConnector;
import dev.millrace.files.SendfileContentFactory;
import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.RawClient.Answer;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import dev.millrace.transfer.TransferStatistics;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import org.eclipse.jetty.ee11.servlet.DefaultServlet;
import org.eclipse.jetty.ee11.servlet.FilterHolder;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.http.MimeTypes;
import org.eclipse.jetty.http.content.HttpContent;
import org.eclipse.jetty.http.content.ResourceHttpContentFactory;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.util.resource.ResourceFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Files by sendfile from servlets. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#ours")
class SendfileServletTest {
    @Parameter
    Connectors connectors;

    @TempDir
    Path directory;

    private static TransferStatistics statistics(TestServer server) {
        return server.connector() instanceof BioConnector bio
                ? bio.getTransferStatistics() : ((NioConnector) server.connector()).getTransferStatistics();
    }

    private ServletContextHandler context() {
        ServletContextHandler context = new ServletContextHandler("/app");
        ServletHolder files = context.addServlet(SendfileServlet.class, "/files/*");
        files.setInitParameter("baseResource", directory.toString());
        return context;
    }

    @Test
    void sendsAFileByTheKernel() throws Exception {
        byte[] bytes = TestFiles.write(directory, "file.bin", 1_000_000);
        try (TestServer server = new TestServer(connectors::http).start(context()); RawClient client = server.client()) {
            for (int i = 0; i < 3; i++) {
                assertArrayEquals(bytes, client.get("/app/files/file.bin").answer().body());
            }
            assertEquals(3, statistics(server).getRegions());
            Await.until("counted", () -> statistics(server).getTransferredBytes() > 2_000_000);
        }
    }

    @Test
    void sendsARange() throws Exception {
        byte[] bytes = TestFiles.write(directory, "file.bin", 1_000_000);
        try (TestServer server = new TestServer(connectors::http).start(context()); RawClient client = server.client()) {
            Answer answer = client.send("GET /app/files/file.bin HTTP/1.1\r\nHost: localhost\r\n"
                    + "Range: bytes=-500000\r\n\r\n").answer();
            assertEquals(206, answer.status());
            assertArrayEquals(Arrays.copyOfRange(bytes, 500_000, 1_000_000), answer.body());
            assertEquals(1, statistics(server).getRegions());
        }
    }

    @Test
    void copiesThroughAFilterThatWraps() throws Exception {
        byte[] bytes = TestFiles.write(directory, "file.bin", 1_000_000);
        ServletContextHandler context = context();
        Filter wrapping = (request, response, chain) ->
                chain.doFilter(request, new HttpServletResponseWrapper((HttpServletResponse) response));
        FilterHolder holder = new FilterHolder(wrapping);
        holder.setAsyncSupported(true);
        context.addFilter(holder, "/*", EnumSet.of(jakarta.servlet.DispatcherType.REQUEST));
        try (TestServer server = new TestServer(connectors::http).start(context); RawClient client = server.client()) {
            assertArrayEquals(bytes, client.get("/app/files/file.bin").answer().body());
            assertEquals(0, statistics(server).getRegions());
        }
    }

    @Test
    void acceleratesJettysDefaultServlet() throws Exception {
        byte[] bytes = TestFiles.write(directory, "file.bin", 1_000_000);
        ServletContextHandler context = new ServletContextHandler("/");
        context.setBaseResourceAsPath(directory);
        try (TestServer server = new TestServer(connectors::http)) {
            HttpContent.Factory jettys = new ResourceHttpContentFactory(
                    ResourceFactory.of(context).newResource(directory), new MimeTypes.Mutable(),
                    new ByteBufferPool.Sized(server.server().getByteBufferPool()));
            context.setAttribute(HttpContent.Factory.class.getName(), new SendfileContentFactory(jettys));
            context.addServlet(DefaultServlet.class, "/");
            server.start(context);
            try (RawClient client = server.client()) {
                assertArrayEquals(bytes, client.get("/file.bin").answer().body());
                assertEquals(1, statistics(server).getRegions());
            }
        }
    }
}
