package dev.millrace.webapp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Entity tags in the conditions of requests for files that the application streams (RFC 9110 section 13.1). */
class FileConditionsTest {
    @TempDir
    Path folder;

    private final Server server = new Server();
    private String url;
    private String etag;

    @BeforeEach
    void start() throws Exception {
        Files.write(folder.resolve("a.bin"), new byte[1000]);
        ServerConnector connector = new ServerConnector(server);
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        ServletContextHandler context = new ServletContextHandler();
        context.setAttribute(FileRoot.ATTRIBUTE, FileRoot.of(folder));
        context.addServlet(FilesServlet.class, "/files/*");
        server.setHandler(context);
        server.start();
        url = "http://127.0.0.1:" + connector.getLocalPort();
        etag = Http.get(url, "/files/a.bin").header("ETag");
    }

    @AfterEach
    void stop() throws Exception {
        server.stop();
    }

    private int status(String... fields) throws Exception {
        return Http.get(url, "/files/a.bin", fields).status();
    }

    /** What has a weak tag may have other bytes. */
    @Test
    void aWeakTagIsNoMatch() throws Exception {
        assertEquals(200, status("If-Match: " + etag));
        assertEquals(412, status("If-Match: W/" + etag));
        assertEquals(304, status("If-None-Match: W/" + etag));
    }

    @Test
    void severalFieldsAreOneList() throws Exception {
        assertEquals(200, status("If-Match: \"other\"", "If-Match: " + etag));
        assertEquals(304, status("If-None-Match: \"other\"", "If-None-Match: " + etag));
        assertEquals(412, status("If-Match: \"other\"", "If-Match: \"another\""));
        assertEquals(200, status("If-Match: *"));
        assertEquals(304, status("If-None-Match: *"));
        assertEquals(412, status("If-Match: \"other\", *"), "a star in a list is no tag");
    }
}
