package dev.millrace.load.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.load.TestServer;
import dev.millrace.load.http.Target;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** The URLs that are asked in turns, and the files that hold them and bodies. */
class UrlMixTest {

    private static Cli http(TestServer server, String path, String... options) {
        List<String> all = new ArrayList<>(List.of("http", "-c=1", "-n=2", "--warmup=0s", "-q"));
        all.addAll(List.of(options));
        all.add(server.url(path));
        return Cli.run(all.toArray(String[]::new));
    }

    private static TestServer server() throws IOException {
        return new TestServer(
                (request, out, socket) -> TestServer.send(out, "200 OK", "text/plain", "hello".getBytes(UTF_8)));
    }

    private static Set<String> lines(TestServer server) {
        return server.requests().stream().map(one -> one.head().get(0)).collect(Collectors.toSet());
    }

    /** RFC 3986 section 5.2.3. */
    @Test
    void aRelativeUrlBelongsToAServerWithoutAPath() throws IOException {
        try (TestServer server = server()) {
            Cli cli = http(server, "", "--url=a", "--url=?page=1");
            assertEquals(ExitCode.GOOD, cli.code(), cli.err());
            assertEquals(Set.of("GET /a HTTP/1.1", "GET /?page=1 HTTP/1.1"), lines(server));
        }
    }

    @Test
    void theUsualPortIsThatOfAUrlWithoutOne() {
        Target server = Target.of("http://127.0.0.1/");
        assertTrue(server.resolve("http://127.0.0.1:80/a").isOn(server));
        assertFalse(server.resolve("http://127.0.0.1:81/a").isOn(server));
        assertFalse(server.resolve("https://127.0.0.1:80/a").isOn(server));
        assertFalse(server.resolve("ftp://127.0.0.1/a").isOn(server));
        assertFalse(server.resolve("http://a_b!/a").isOn(server));
    }

    @Test
    void aCellIsNamedByTheMethodsThatAreAsked() throws IOException {
        try (TestServer server = server()) {
            Cli cli = http(server, "/", "--url=PUT /a", "--url=DELETE /b");
            assertEquals(ExitCode.GOOD, cli.code(), cli.err());
            assertEquals(Set.of("PUT /a HTTP/1.1", "DELETE /b HTTP/1.1"), lines(server));
            assertTrue(cli.out().startsWith("c=1 PUT,DELETE ka=on /a,/b |"), cli.out());
            assertTrue(http(server, "/", "--url=PUT /a", "--url=/b").out().startsWith("c=1 PUT,GET ka=on /a,/b |"));
        }
    }

    @Test
    void aMethodThatNoUrlTakesIsRefused() throws IOException {
        try (TestServer server = server()) {
            Cli cli = http(server, "/", "-m=POST", "--url=PUT /a");
            assertEquals(ExitCode.USAGE, cli.code(), cli.out());
            assertTrue(cli.err().contains("--method is for URLs without one"), cli.err());
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aFileThatTheSystemDoesNotReadIsNamed() throws IOException {
        try (TestServer server = server()) {
            for (String option : List.of("--urls", "--body-file")) {
                Cli cli = http(server, "/", option + "=/proc/self/mem");
                assertEquals(ExitCode.USAGE, cli.code(), cli.err());
                assertEquals(
                        "loadclient: cannot read /proc/self/mem: Input/output error (see loadclient http --help)",
                        cli.err().strip());
            }
        }
    }
}
