package dev.millrace.ee11;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.files.SendfileSettings;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Described;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.RawClient.Answer;
import dev.millrace.testing.SettingsFiles;
import dev.millrace.testing.TestServer;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.stream.Stream;
import org.eclipse.jetty.ee11.servlet.ResourceServlet;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.handler.ContextHandlerCollection;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each init parameter of Jetty's servlet does the same in {@link SendfileServlet}; both serve the same directory. */
@Timeout(60)
class ServletSettingsTest {
    @TempDir
    static Path directory;

    private static Path root;

    @BeforeAll
    static void write() throws Exception {
        root = SettingsFiles.write(directory);
    }

    /** A welcome file that is none. */
    public static final class Welcoming extends HttpServlet {
        private static final long serialVersionUID = 1L;

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            response.getWriter().print("welcome to " + request.getServletPath());
        }
    }

    private static ServletContextHandler context(
            String path, Class<? extends ResourceServlet> servlet, String settings) {
        ServletContextHandler context = new ServletContextHandler(path);
        context.setBaseResourceAsPath(root);
        context.setWelcomeFiles(new String[] {"index.html", "index.welcome"});
        // The servlet adds those that its settings allow.
        context.clearAliasChecks();
        ServletHolder files = new ServletHolder("files", servlet);
        files.setInitOrder(0);
        for (String setting : settings.isEmpty() ? new String[0] : settings.split(" ")) {
            int equals = setting.indexOf('=');
            files.setInitParameter(setting.substring(0, equals), setting.substring(equals + 1));
        }
        context.addServlet(files, "/");
        context.addServlet(files, "/path/*");
        ServletHolder welcoming = new ServletHolder("welcoming", Welcoming.class);
        context.addServlet(welcoming, "*.welcome");
        context.addServlet(welcoming, "/exact/index.welcome");
        return context;
    }

    // Of one length: a listing has the path in it, and Content-Length counts it.
    private static TestServer server(String settings) throws Exception {
        return new TestServer(Connectors.NIO::http)
                .start(new ContextHandlerCollection(
                        context("/unsets", ResourceServlet.class, ""),
                        context("/jettys", ResourceServlet.class, settings),
                        context("/ourown", SendfileServlet.class, settings)));
    }

    // The request is one that Jetty's servlet answers otherwise than without the setting.
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            ''                                               |
            acceptRanges=false                               | GET /big.bin Range: bytes=10-19
            acceptRanges=no                                  | GET /big.bin Range: bytes=10-19,30-39
            redirectWelcome=true                             | GET /welcome/
            welcomeServlets=true                             | GET /matched/
            welcomeServlets=exact                            | GET /exact/
            welcomeServlets=false                            |
            stylesheet=/own.css                              | GET /jetty-dir.css
            stylesheet=/none.css                             |
            otherGzipFileExtensions=.gzz,tgz                 | GET /packed.gzz
            otherGzipFileExtensions=gzz                      | GET /image.svgz
            encodingHeaderCacheSize=0 precompressed=true     | GET /text.txt Accept-Encoding: gzip
            encodingHeaderCacheSize=1 precompressed=true     | GET /text.txt Accept-Encoding: br, gzip
            encodingHeaderCacheSize=-1                       |
            byteBufferSize=1000                              |
            byteBufferSize=1000000 useDirectByteBuffers=false|
            useDirectByteBuffers=false                       |
            minMappedFileSize=1000                           |
            maxMappedFileSize=50000                          |
            dirAllowed=false                                 | GET /matched/
            dirAllowed=true                                  |
            precompressed=true                               | GET /text.txt Accept-Encoding: zstd, gzip;q=0.5, br;q=0.4
            precompressed=br=.br,gzip=.gz                    | GET /text.txt Accept-Encoding: br, gzip
            precompressed=gzip=.packed                       | GET /text.txt Accept-Encoding: gzip
            precompressed=false                              |
            gzip=true                                        | HEAD /text.txt Accept-Encoding: gzip
            etags=true                                       | GET /text.txt If-None-Match: {etag}
            etags=true precompressed=true                    | GET /text.txt Accept-Encoding: gzip
            cacheControl=max-age=60,public                   | GET /big.bin
            baseResource=path                                | GET /big.bin
            resourceBase=path                                | GET /big.bin
            allowSymlinks=true                               | GET /outside.bin
            allowAliases=false                               | GET /inside.bin
            installAllowedResourceAliasChecker=false         | GET /inside.bin
            pathInfoOnly=false                               | GET /path/big.bin
            maxCachedFiles=0 maxCacheSize=0                  |
            maxCachedFileSize=0 cacheValidationTime=0        |
            cacheValidationTime=-1                           |
            """)
    void areThoseOfJettysServlet(String settings, String differing) throws Exception {
        try (TestServer server = server(settings);
                RawClient client = server.client()) {
            for (String request : Stream.concat(SettingsFiles.REQUESTS.stream(), Stream.of("GET /outside.bin"))
                    .toList()) {
                assertEquals(
                        Described.answer(client, "/jettys", request),
                        Described.answer(client, "/ourown", request),
                        request);
            }
            if (differing != null) {
                assertNotEquals(
                        Described.answer(client, "/unsets", differing),
                        Described.answer(client, "/jettys", differing),
                        "without effect");
            }
            // The client has the last byte before the server is done with the answer: stopping now would cut it off.
            assertEquals(404, client.get("/jettys/none").answer().status());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "maxCacheSize=3000000000",
                "maxCachedFiles=many",
                "maxRanges=-1",
                "cacheValidationTime=1s",
                "algorithm=Fastest"
            })
    void nameTheOneThatCannotBe(String setting) throws Exception {
        Server server = new Server();
        server.setHandler(context("/", SendfileServlet.class, setting));
        String told = setting.replace("=", " of files cannot be ") + ": ";
        Throwable thrown = assertThrows(Exception.class, server::start);
        assertTrue(
                Stream.iterate(thrown, Objects::nonNull, Throwable::getCause)
                        .anyMatch(x -> String.valueOf(x.getMessage()).startsWith(told)),
                () -> String.valueOf(thrown));
        server.stop();
    }

    @ParameterizedTest
    @CsvSource({"true,true", "Yes,true", "1,true", "on,false", "false,false", "'',false"})
    void yesIsWhatItIsToJettysServlet(String value, boolean isOn) throws Exception {
        ServletContextHandler context = context("/", SendfileServlet.class, "debugHeader=" + value);
        try (TestServer server = new TestServer(Connectors.NIO::http).start(context);
                RawClient client = server.client()) {
            Answer answer = client.get("/big.bin").answer();
            assertEquals(200, answer.status());
            assertEquals(isOn, answer.headers().containsKey(SendfileSettings.DEBUG_HEADER));
        }
    }

    // docs/file-serving.md: If-Range is honoured, ranges are bounded, and those of several fields or other units are
    // ignored.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Range: bytes=10-19\r\nIf-Range: Mon, 01 Jan 2001 00:00:00 GMT",
                "Range: items=0-5",
                "Range: bytes=0-9\r\nRange: bytes=20-29",
                "Range: bytes=0-0,2-2,4-4,6-6,8-8,10-10,12-12,14-14,16-16,18-18,20-20,22-22,24-24,"
                        + "26-26,28-28,30-30,32-32"
            })
    void differInTheirRulesOfRanges(String fields) throws Exception {
        try (TestServer server = server("");
                RawClient client = server.client()) {
            String whole = Described.answer(client, "/jettys", "GET /big.bin");
            assertEquals(whole, Described.answer(client, "/ourown", "GET /big.bin " + fields));
            assertNotEquals(
                    whole, Described.answer(client, "/jettys", "GET /big.bin " + fields), "no difference any more");
            // As above: the last byte comes before the server is done with the answer.
            assertEquals(404, client.get("/jettys/none").answer().status());
        }
    }
}
