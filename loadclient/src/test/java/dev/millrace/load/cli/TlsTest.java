package dev.millrace.load.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.load.TestCertificate;
import dev.millrace.load.TestFiles;
import dev.millrace.load.TestServer;
import dev.millrace.load.report.RunFile;
import dev.millrace.load.run.CellResult;
import dev.millrace.load.run.Percentiles;
import dev.millrace.load.run.Times;
import dev.millrace.load.run.TlsResult;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** https URLs: certificates, versions, cipher suites, and handshakes full and resumed. */
class TlsTest {

    private static final byte[] FILE = TestFiles.content(100_000);

    @TempDir
    private static Path keys;

    private static TestCertificate certificate;

    @TempDir
    private Path folder;

    @BeforeAll
    static void makeKey() throws IOException {
        certificate = new TestCertificate(keys, "ip:127.0.0.1");
    }

    private static void hello(TestServer.Request request, OutputStream out, Socket socket) throws IOException {
        TestServer.send(out, "200 OK", "text/plain", "hello".getBytes(UTF_8));
    }

    private Cli run(String command, TestServer server, String path, String... options) {
        List<String> all =
                new ArrayList<>(List.of(command, "-c=1", "-n=6", "--warmup=0s", "-q", "-o", folder.toString()));
        all.addAll(List.of(options));
        all.add(server.url(path));
        return Cli.run(all.toArray(String[]::new));
    }

    private CellResult cell() throws IOException {
        return RunFile.read(folder.resolve("run.json")).cells().get(0);
    }

    @Test
    void aConnectionThatIsKeptHasOneHandshake() throws IOException {
        try (TestServer server = new TestServer(certificate.context(), TlsTest::hello)) {
            Cli cli = run("http", server, "/", "--cacert=" + certificate.pem());
            assertEquals(ExitCode.GOOD, cli.code(), cli.err());
            TlsResult tls = cell().tls();
            assertTrue(tls.version().startsWith("TLSv1.3 TLS_"), tls.version());
            assertEquals(1, tls.full());
            assertEquals(0, tls.resumed());
            assertEquals(1, tls.handshake().count());
            assertEquals(1, cell().counts().connections());
            assertTrue(cli.out().contains("| TLSv1.3 1 full 0 resumed p50 "), cli.out());
            assertEquals("1", Cli.column(folder, "full_handshakes"));
            assertTrue(Files.readString(folder.resolve("report.html")).contains(tls.version()));
        }
    }

    /** The kernel accepts connections for a server that does not begin the handshake yet. */
    @Test
    void aHandshakeIsTimedApartFromConnecting() throws IOException {
        long pauseMicros = 50_000;
        Runnable pause = () -> LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(pauseMicros));
        try (TestServer server = new TestServer(certificate.context(), pause, TlsTest::hello)) {
            Cli cli = run("http", server, "/", "--insecure", "--keepalive=off");
            assertEquals(ExitCode.GOOD, cli.code(), cli.err());
            Times times = cell().times();
            Percentiles handshake = cell().tls().handshake();
            assertEquals(6, handshake.count());
            assertEquals(6, times.connect().count());
            // Three digits are kept.
            assertTrue(handshake.p50() > 0.99 * pauseMicros, handshake.toString());
            // If a connect had the handshake in it, both together would be longer than the exchange by a whole pause
            // and more.
            double both = times.connect().mean() + handshake.mean();
            assertTrue(both < times.latency().mean() + pauseMicros / 2.0, times + " " + handshake);
            assertTrue(times.latency().p50() > 0.99 * pauseMicros, "it begins before connecting: " + times);
        }
    }

    @Test
    void clearTextHasNone() throws IOException {
        try (TestServer server = new TestServer(TlsTest::hello)) {
            Cli cli = run("http", server, "/");
            assertEquals(ExitCode.GOOD, cli.code(), cli.err());
            assertNull(cell().tls());
            assertEquals("", Cli.column(folder, "full_handshakes"));
        }
    }

    @Test
    void connectionsThatAreClosedResumeTheirSession() throws IOException {
        for (String version : List.of("1.3", "1.2")) {
            try (TestServer server = new TestServer(certificate.context(), TlsTest::hello)) {
                Cli cli = run(
                        "http",
                        server,
                        "/",
                        "--cacert=" + certificate.pem(),
                        "--keepalive=off",
                        "--tls-versions=" + version);
                assertEquals(ExitCode.GOOD, cli.code(), cli.err());
                assertTrue(
                        cell().tls().version().startsWith("TLSv" + version),
                        cell().tls().version());
                assertEquals(1, cell().tls().full(), version);
                assertEquals(5, cell().tls().resumed(), version);
                assertEquals("5", Cli.column(folder, "resumed_handshakes"));
                assertTrue(
                        Files.readString(folder.resolve("report.html"))
                                .contains(cell().tls().version() + "</td><td>1</td><td>5</td>"),
                        "the report says so too");
            }
        }
    }

    @Test
    void withoutResumptionEachHandshakeIsFull() throws IOException {
        try (TestServer server = new TestServer(certificate.context(), TlsTest::hello)) {
            Cli cli = run("http", server, "/", "--cacert=" + certificate.pem(), "--keepalive=off", "--tls-resume=off");
            assertEquals(ExitCode.GOOD, cli.code(), cli.err());
            assertEquals(6, cell().tls().full());
            assertEquals(0, cell().tls().resumed());
        }
    }

    @Test
    void versionAndCipherSuiteCanBeChosen() throws IOException {
        try (TestServer server = new TestServer(certificate.context(), TlsTest::hello)) {
            Cli cli = run(
                    "http",
                    server,
                    "/",
                    "--insecure",
                    "--tls-versions=TLSv1.2",
                    "--ciphers=TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256");
            assertEquals(ExitCode.GOOD, cli.code(), cli.err());
            assertEquals(
                    "TLSv1.2 TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
                    cell().tls().version());
        }
    }

    @Test
    void aCertificateOfNoKnownAuthorityIsOneLine() throws IOException {
        try (TestServer server = new TestServer(certificate.context(), TlsTest::hello)) {
            Cli cli = run("http", server, "/");
            assertEquals(ExitCode.ERRORS, cli.code());
            assertEquals(1, cli.err().lines().count(), cli.err());
            assertTrue(cli.err().contains("its certificate is of no trusted authority (--cacert"), cli.err());
            assertTrue(server.requests().isEmpty());
        }
    }

    /** What a download has to fetch before comes after it. */
    @Test
    void soItIsForADownload() throws IOException {
        try (TestServer server = new TestServer(certificate.context(), TlsTest::application);
                TestServer clear = new TestServer(TlsTest::application)) {
            for (String option : List.of("--file=a.bin", "--file=each", "--range=1k")) {
                Cli cli = run("download", server, "/files/", option);
                assertEquals(ExitCode.ERRORS, cli.code());
                assertEquals(1, cli.err().lines().count(), cli.err());
                assertTrue(cli.err().startsWith("loadclient: cannot connect to 127.0.0.1:"), cli.err());
                assertTrue(cli.err().contains("its certificate is of no trusted authority (--cacert"), cli.err());
            }
            String catalog = server.url("/files/catalog.json");
            Cli elsewhere = run("download", clear, "/files/", "--catalog=" + catalog);
            assertEquals(ExitCode.ERRORS, elsewhere.code());
            assertTrue(
                    elsewhere
                            .err()
                            .startsWith("loadclient: cannot read the catalogue " + catalog
                                    + ": its certificate is of no trusted authority (--cacert"),
                    elsewhere.err());
            assertTrue(server.requests().isEmpty());
        }
    }

    @Test
    void aCertificateOfAnotherHostIsOneLineUnlessInsecure() throws IOException {
        TestCertificate other = new TestCertificate(keys.resolve("other"), "dns:elsewhere.example");
        try (TestServer server = new TestServer(other.context(), TlsTest::hello)) {
            Cli cli = run("http", server, "/", "--cacert=" + other.pem());
            assertEquals(ExitCode.ERRORS, cli.code());
            assertEquals(1, cli.err().lines().count(), cli.err());
            assertTrue(cli.err().contains("its certificate does not fit: No subject alternative names"), cli.err());
            assertEquals(ExitCode.GOOD, run("http", server, "/", "--insecure").code());
        }
    }

    // Waits for ten seconds, for an answer that does not come.
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void aServerInClearTextIsOneLine() throws IOException {
        try (TestServer server = new TestServer((request, out, socket) -> socket.close())) {
            Cli cli = Cli.run("http", "--insecure", "-q", server.url("/").replace("http:", "https:"));
            assertEquals(ExitCode.ERRORS, cli.code());
            assertEquals(1, cli.err().lines().count(), cli.err());
            assertTrue(cli.err().contains("cannot connect to 127.0.0.1"), cli.err());
        }
    }

    @Test
    void allCommandsSpeakTls() throws IOException {
        try (TestServer server = new TestServer(certificate.context(), TlsTest::application)) {
            Cli uuids = run("uuid", server, "/generate-uuid", "--cacert=" + certificate.pem());
            assertEquals(ExitCode.GOOD, uuids.code(), uuids.err());
            assertEquals(1, cell().tls().full());
            Cli files = run("download", server, "/files/", "--cacert=" + certificate.pem());
            assertEquals(ExitCode.GOOD, files.code(), files.err());
            assertEquals(600_000, cell().counts().bytes());
            Cli slow = run("download", server, "/files/", "--cacert=" + certificate.pem(), "--limit-rate=1M");
            assertEquals(ExitCode.GOOD, slow.code(), slow.err());
        }
    }

    @Test
    void twoServersAreCompared() throws IOException {
        try (TestServer a = new TestServer(certificate.context(), TlsTest::hello);
                TestServer b = new TestServer(certificate.context(), TlsTest::hello)) {
            String[] words = {"compare", "--budget=1ms", a.url("/"), b.url("/"), "--", "-c=1", "-n=6", "--warmup=0s"};
            Cli refused = Cli.run(words);
            assertEquals(ExitCode.ERRORS, refused.code(), refused.out());
            assertTrue(refused.err().contains("its certificate is of no trusted authority (--cacert"), refused.err());
            List<String> trusting = new ArrayList<>(List.of(words));
            trusting.add("--cacert=" + certificate.pem());
            Cli cli = Cli.run(trusting.toArray(String[]::new));
            assertEquals(ExitCode.GOOD, cli.code(), cli.err());
            assertEquals(6, a.requests().size());
            assertEquals(6, b.requests().size());
        }
    }

    @Test
    void aServerIsAskedForItsCpuTimeAsItIsMeasured() throws IOException {
        try (TestServer server = new TestServer(certificate.context(), TlsTest::application);
                TestServer clear = new TestServer(TlsTest::hello)) {
            String url = server.url("/cpu");
            for (String trust : List.of("--cacert=" + certificate.pem(), "--insecure")) {
                Cli cli = run("http", server, "/files/a.bin", trust, "--server-cpu-url=" + url);
                assertEquals(ExitCode.GOOD, cli.code(), cli.err());
                assertEquals(0.0, cell().cpu().server());
            }
            Cli refused = run("http", clear, "/", "--server-cpu-url=" + url);
            assertEquals(ExitCode.ERRORS, refused.code());
            assertEquals(
                    "loadclient: cannot read the server's CPU time at " + url
                            + ": its certificate is of no trusted authority (--cacert names one, --insecure accepts any)",
                    refused.err().strip());
        }
    }

    private static void application(TestServer.Request request, OutputStream out, Socket socket) throws IOException {
        if (request.target().startsWith("/generate-uuid")) {
            TestServer.answerUuids(request, out, socket);
        } else if (request.target().equals("/cpu")) {
            TestServer.send(out, "200 OK", "text/plain", "1.5".getBytes(UTF_8));
        } else if (request.target().endsWith("catalog.json")) {
            TestServer.send(out, "200 OK", "application/json", TestFiles.catalog("a.bin", FILE));
        } else {
            TestServer.send(out, "200 OK", "application/octet-stream", FILE);
        }
    }

    @Test
    void wrongOptionsAreNamed() throws IOException {
        Path garbage = Files.writeString(folder.resolve("garbage.pem"), "no certificate");
        assertUsage("exclude each other", "--insecure", "--cacert=" + garbage);
        assertUsage("no certificate in ", "--cacert=" + garbage);
        assertUsage("no such file", "--cacert=/does/not/exist");
        assertUsage("--tls-versions: this Java has ", "--tls-versions=1.9");
        assertUsage("--ciphers: this Java has ", "--ciphers=ROT13");
        assertUsage("--tls-resume takes on or off", "--tls-resume=maybe");
    }

    @Test
    void optionsOfTlsHaveNoEffectInClearText() throws IOException {
        try (TestServer clear = new TestServer(TlsTest::hello);
                TestServer server = new TestServer(certificate.context(), TlsTest::hello)) {
            String note = "note: --tls-resume has no effect: there is no https URL";
            assertEquals(1, notes(note, "--tls-resume=off", clear.url("/")));
            assertEquals(0, notes(note, "--tls-resume=off", "--insecure", server.url("/")));
            assertEquals(0, notes(note, clear.url("/")));
        }
    }

    private static long notes(String note, String... words) {
        List<String> all = new ArrayList<>(List.of("http", "-c=1", "-n=1", "--warmup=0s", "--progress=none"));
        all.addAll(List.of(words));
        return Cli.run(all.toArray(String[]::new))
                .err()
                .lines()
                .filter(note::equals)
                .count();
    }

    private static void assertUsage(String message, String... options) {
        List<String> command = new ArrayList<>(List.of("http", "-q"));
        command.addAll(List.of(options));
        command.add("https://127.0.0.1:9/");
        Cli cli = Cli.run(command.toArray(String[]::new));
        assertEquals(ExitCode.USAGE, cli.code(), cli.err());
        assertTrue(cli.err().contains(message), cli.err());
    }
}
