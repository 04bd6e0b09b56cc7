package dev.millrace.webapp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import jakarta.servlet.ServletContextEvent;
import jakarta.servlet.ServletContextListener;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.ee11.servlet.DefaultServlet;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.http.DateGenerator;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Range fields, and the versions that they are for, in the server's own servlet and in ours. */
class RangeFieldsTest {
    private static final int SIZE = 1000;

    @TempDir
    Path folder;

    private final Server server = new Server();

    private String start(boolean byServer) throws Exception {
        Files.write(folder.resolve("a.bin"), new byte[SIZE]);
        ServerConnector connector = new ServerConnector(server);
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        ServletContextHandler context = new ServletContextHandler();
        context.setBaseResourceAsPath(folder);
        context.setAttribute(FileRoot.ATTRIBUTE, FileRoot.of(folder));
        context.setAttribute(ContextAttributes.SENDFILE, byServer);
        context.addServlet(new ServletHolder("default", DefaultServlet.class), "/");
        context.addServlet(FilesServlet.class, "/files/*");
        context.addEventListener(new ServletContextListener() {
            @Override
            public void contextInitialized(ServletContextEvent event) {
                ContainerFileServlet.register(event.getServletContext());
            }
        });
        server.setHandler(context);
        server.start();
        return "http://127.0.0.1:" + connector.getLocalPort();
    }

    @AfterEach
    void stop() throws Exception {
        server.stop();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void areIgnoredWhenThereAreSeveral(boolean byServer) throws Exception {
        String url = start(byServer);
        Http.Answer one = Http.get(url, "/files/a.bin", "Range: bytes=1-2");
        assertEquals(206, one.status());
        assertEquals("bytes 1-2/1000", one.header("Content-Range"));
        Http.Answer two = Http.get(url, "/files/a.bin", "Range: bytes=1-2", "Range: bytes=5-6");
        assertEquals(200, two.status());
        assertEquals(SIZE, two.body().length);
    }

    private int statusIfRange(String url, long second) throws Exception {
        Files.setLastModifiedTime(folder.resolve("a.bin"), FileTime.from(second, TimeUnit.SECONDS));
        String date = DateGenerator.formatDate(TimeUnit.SECONDS.toMillis(second));
        return Http.get(url, "/files/a.bin", "Range: bytes=1-2", "If-Range: " + date)
                .status();
    }

    private static long secondNow() {
        return TimeUnit.MILLISECONDS.toSeconds(System.currentTimeMillis());
    }

    /** A file may be written twice in one second: until that is over, a part may be of another version. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void areIgnoredWhereADateMayBecomeThatOfAnotherVersion(boolean byServer) throws Exception {
        String url = start(byServer);
        assertEquals(206, statusIfRange(url, secondNow() - 1));
        assertEquals(200, statusIfRange(url, secondNow() + 60), "of a clock that is ahead");
        long second;
        int status;
        do {
            second = secondNow();
            status = statusIfRange(url, second);
        } while (second != secondNow());
        assertEquals(200, status);
    }
}
