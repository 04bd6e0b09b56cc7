package dev.millrace.webapp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What operators meet in the Jetty distribution: names, warnings, and the PROXY protocol. */
class JettyModulesIT {
    private static final String ANYWHERE = "millrace.%1$s.host=127.0.0.1 millrace.%1$s.port=0";

    private static ServerProcess start(JettyBase base, String arguments) throws Exception {
        ServerProcess server = base.start(arguments.split(" "));
        server.await("Started oejs\\.Server@");
        return server;
    }

    private static String anywhere(String connector) {
        return ANYWHERE.formatted(connector);
    }

    @Test
    void whatNothingReadsIsWarnedOf(@TempDir Path folder) throws Exception {
        JettyBase base = JettyBase.create(folder, "millrace-nio");
        Files.writeString(
                folder.resolve("start.d/old.ini"),
                "jetty.http.port=8000\njetty.ssl.port=8400\njetty.http2.maxSettingsKeys=65\n");
        try (ServerProcess server = start(
                base,
                anywhere("nio")
                        + " millrace.nio.reusePort=no millrace.nio.idleTimout=5 millrace.bio.port=81 jetty.http.compliance=RFC9110"
                        + " -Dmillrace.files=/srv jetty.httpConfig.outputBufferSize=4096")) {
            String log = String.join(
                    "\n",
                    Stream.concat(server.out().stream(), server.err().stream()).toList());
            assertWarned(log, "millrace.nio.idleTimout", "ini templates in modules/millrace-*.mod have the names");
            assertWarned(log, "millrace.bio.port", "the module millrace-bio is not enabled");
            assertWarned(log, "jetty.http.port", "no connector of Jetty's is there; in its place is millrace.nio.port");
            assertWarned(log, "jetty.ssl.port", "in its place is millrace.bio.https.port, millrace.nio.https.port");
            assertWarned(
                    log,
                    "jetty.http2.maxSettingsKeys",
                    "in its place is millrace.bio.h2.maxSettingsKeys, millrace.nio.h2.maxSettingsKeys");
            server.await("The property millrace\\.nio\\.reusePort is neither true nor false, and so it is false: no");
            assertEquals(5, log.split("Nothing reads the property", -1).length - 1, log);
        }
    }

    @Test
    void whatLetsNoClientOfHttp2InKeepsTheServerFromStarting(@TempDir Path folder) throws Exception {
        JettyBase base = JettyBase.create(folder, "millrace-nio-h2c");
        try (ServerProcess server =
                base.start((anywhere("nio") + " millrace.nio.h2c.maxEventsPerSecond=0").split(" "))) {
            assertNotEquals(0, server.exitCode());
            server.await("maxEventsPerSecond is at least 1, not 0");
        }
    }

    private static void assertWarned(String log, String property, String mend) {
        assertTrue(
                log.lines()
                        .anyMatch(line -> line.contains(":WARN :")
                                && line.contains("Nothing reads the property " + property + ": ")
                                && line.endsWith(mend)),
                log);
    }

    @Test
    void whatIsReadIsNotWarnedOf(@TempDir Path folder) throws Exception {
        Files.createDirectory(folder.resolve("files"));
        JettyBase base = JettyBase.create(folder, "http,millrace-bio-h2c,millrace-xsendfile,millrace-uuid");
        Files.copy(Path.of(System.getProperty("millrace.war")), folder.resolve("lib/millrace/millrace.war"));
        try (ServerProcess server = start(
                base,
                anywhere("bio") + " jetty.http.host=127.0.0.1 jetty.http.port=0 millrace.bio.h2c.maxSettingsKeys=65"
                        + " millrace.xsendfile.roots=files millrace.uuid.contextPath=/app")) {
            List<String> warnings = Stream.concat(server.out().stream(), server.err().stream())
                    .filter(line -> line.contains("Nothing reads"))
                    .toList();
            assertEquals(List.of(), warnings);
        }
    }

    /** A handler that is made later stands around those before: what counts or limits answers sees the files. */
    @Test
    void filesAreSentWithinWhatLooksAtAnswers(@TempDir Path folder) throws Exception {
        List<String> outer = List.of("graceful", "min-data-rate", "size-limit", "statistics");
        JettyBase base = JettyBase.create(folder, "millrace-nio,millrace-xsendfile," + String.join(",", outer));
        try (ServerProcess listing = base.start("--list-config")) {
            assertEquals(0, listing.exitCode());
            String config = String.join("\n", listing.out());
            int files = config.indexOf("/millrace-xsendfile.xml");
            assertTrue(files >= 0, config);
            for (String module : outer) {
                assertTrue(files < config.indexOf("/jetty-" + module + ".xml"), module + " in\n" + config);
            }
        }
    }

    @Test
    void theModulePathHasAllOfIt(@TempDir Path folder) throws Exception {
        JettyBase base = JettyBase.create(folder, "millrace-nio,millrace-proxy-protocol");
        try (ServerProcess server = start(base, "--jpms " + anywhere("nio") + " millrace.nio.prot=1")) {
            server.await("Nothing reads the property millrace\\.nio\\.prot:");
            server.await("Started nio@\\w+\\{\\[proxy], \\(\\[proxy], http/1\\.1\\)}");
        }
    }

    @Test
    void theProxyProtocolOpensNoOtherPort(@TempDir Path folder) throws Exception {
        JettyBase base = JettyBase.create(folder, "millrace-bio,millrace-nio,millrace-proxy-protocol,ee11-deploy");
        Path webapp = Files.createDirectories(folder.resolve("webapps/ROOT"));
        Files.writeString(webapp.resolve("index.html"), "hello");
        try (ServerProcess server =
                start(base, anywhere("bio") + " " + anywhere("nio") + " millrace.proxyProtocol.connectors=nio")) {
            assertEquals(
                    Set.of("bio", "nio"),
                    Stream.concat(server.out().stream(), server.err().stream())
                            .filter(line -> line.matches(".* Started \\S+\\{.*}\\{.*:\\d+}"))
                            .map(line -> line.replaceAll(".* Started (\\w+)@.*", "$1"))
                            .collect(Collectors.toSet()));
            assertEquals("hello", Http.get(JettyBase.url(server, "bio"), "/").text());
            assertEquals("hello", proxied(JettyBase.url(server, "nio")));
        }
    }

    /** The body of an answer to a request that a proxy passes on. */
    private static String proxied(String url) throws Exception {
        URI uri = URI.create(url);
        try (Socket socket = new Socket(uri.getHost(), uri.getPort())) {
            socket.setSoTimeout(30_000);
            OutputStream out = socket.getOutputStream();
            out.write("PROXY TCP4 10.1.2.3 10.4.5.6 1000 2000\r\nGET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
                    .getBytes(StandardCharsets.US_ASCII));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            assertTrue(answer.startsWith("HTTP/1.1 200 "), answer);
            return answer.substring(answer.indexOf("\r\n\r\n") + 4);
        }
    }

    @Test
    void theProxyProtocolWantsConnectorsThatAreThere(@TempDir Path folder) throws Exception {
        JettyBase base = JettyBase.create(folder, "millrace-nio,millrace-proxy-protocol");
        try (ServerProcess server = base.start("millrace.proxyProtocol.connectors=nio,web")) {
            assertNotEquals(0, server.exitCode());
            server.await("millrace\\.proxyProtocol\\.connectors: no connector \"web\" among \\[nio]");
        }
        Path none = Files.createDirectory(folder.resolve("none"));
        try (ServerProcess server =
                JettyBase.create(none, "millrace-proxy-protocol").start()) {
            assertNotEquals(0, server.exitCode());
            server.await("millrace-proxy-protocol needs a connector");
        }
    }
}
