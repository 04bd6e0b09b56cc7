package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A JVM that is started with a listening socket in place of its input, as by inetd. */
@EnabledOnOs(OS.LINUX)
@Timeout(60)
class InheritedChannelTest {
    private static final List<String> INTERNET = List.of(
            "perl",
            "-MSocket",
            "-e",
            "socket(S, PF_INET, SOCK_STREAM, 0) or die; bind(S, sockaddr_in(0, INADDR_LOOPBACK)) or die;"
                    + "listen(S, 50) or die; open(STDIN, '<&', \\*S) or die; exec @ARGV or die");
    private static final List<String> UNIX = List.of(
            "perl",
            "-MSocket",
            "-e",
            "socket(S, PF_UNIX, SOCK_STREAM, 0) or die; bind(S, sockaddr_un(shift)) or die;"
                    + "listen(S, 50) or die; open(STDIN, '<&', \\*S) or die; exec @ARGV or die");

    @TempDir
    Path directory;

    /** Prints the port, or why there is none. */
    static final class Inheritor {
        public static void main(String[] arguments) throws Exception {
            Server server = new Server();
            ServerConnector connector = Connectors.valueOf(arguments[0]).http(server);
            connector.setInheritChannel(true);
            // In use, or refused: the system's first port.
            connector.setPort(1);
            server.addConnector(connector);
            server.setHandler(Handlers.text("inherited"));
            try {
                server.start();
            } catch (Exception x) {
                System.out.println(x.getMessage());
                System.exit(1);
            }
            System.out.println(connector.getLocalPort());
            server.join();
        }
    }

    private static Process start(List<String> parent, Connectors connectors, String... first) throws IOException {
        assumeTrue(Stream.of("/usr/bin/perl", "/bin/perl").anyMatch(perl -> Files.isExecutable(Path.of(perl))));
        Stream<String> java = Stream.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                // The JVM would warn on standard output.
                "-Xlog:disable",
                "-Xmx128m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Dorg.eclipse.jetty.LEVEL=WARN",
                "-cp",
                System.getProperty("java.class.path"),
                Inheritor.class.getName(),
                connectors.name());
        return new ProcessBuilder(Stream.of(parent.stream(), Stream.of(first), java)
                        .flatMap(s -> s)
                        .toList())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    @ParameterizedTest
    @MethodSource("dev.millrace.testing.Connectors#all")
    void listensOnIt(Connectors connectors) throws Exception {
        Process process = start(INTERNET, connectors);
        try (BufferedReader out = process.inputReader()) {
            int port = Integer.parseInt(out.readLine());
            assertNotEquals(1, port, "not what it inherits: root may bind it");
            try (RawClient client = new RawClient(port)) {
                assertEquals("inherited", client.get("/").answer().text());
                assertEquals("inherited", client.get("/").answer().text());
            }
        } finally {
            process.destroyForcibly();
        }
    }

    @ParameterizedTest
    @MethodSource("dev.millrace.testing.Connectors#ours")
    void refusesOneThatIsNotOfTheInternet(Connectors connectors) throws Exception {
        Process process = start(UNIX, connectors, directory.resolve("socket").toString());
        try (BufferedReader out = process.inputReader()) {
            String refusal = out.readLine();
            assertTrue(refusal.contains("UnixDomainServerConnector"), refusal);
            assertTrue(process.waitFor(30, TimeUnit.SECONDS));
        } finally {
            process.destroyForcibly();
        }
    }
}
