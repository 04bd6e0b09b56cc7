package dev.millrace.load.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.load.TestServer;
import dev.millrace.load.http.Target;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** {@code --junit} and {@code --openmetrics}, and what {@code -q} leaves. */
class BuildFilesTest {

    @TempDir
    private Path folder;

    private Cli run(TestServer.Behaviour behaviour, String... options) throws IOException {
        try (TestServer server = new TestServer(behaviour)) {
            List<String> all = new ArrayList<>(List.of("http", "-c=1", "-n=20", "--warmup=0s", "-q", "--label=a\"b"));
            all.addAll(List.of(options));
            all.add(server.url("/a"));
            return Cli.run(all.toArray(String[]::new));
        }
    }

    private static void hello(TestServer.Request request, java.io.OutputStream out, java.net.Socket socket)
            throws IOException {
        TestServer.send(out, "200 OK", "text/plain", "hello".getBytes(StandardCharsets.US_ASCII));
    }

    private Element suite() throws Exception {
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(folder.resolve("new/junit.xml").toFile())
                .getDocumentElement();
    }

    @Test
    void aBuildServerGetsACaseForEachCellAndCondition() throws Exception {
        Cli cli = run(
                BuildFilesTest::hello,
                "--junit=" + folder.resolve("new/junit.xml"),
                "--fail-if=max>60s",
                "--fail-if=p90>0.001us");
        assertEquals(ExitCode.ERRORS, cli.code(), cli.err());
        Element suite = suite();
        assertEquals("3", suite.getAttribute("tests"));
        assertEquals("1", suite.getAttribute("failures"));
        assertEquals("0", suite.getAttribute("errors"));
        NodeList cases = suite.getElementsByTagName("testcase");
        Element answers = (Element) cases.item(0);
        assertTrue(answers.getAttribute("name").startsWith("a\"b c=1 GET"), answers.getAttribute("name"));
        assertEquals(0, answers.getElementsByTagName("*").getLength());
        Element late = (Element) cases.item(2);
        assertTrue(late.getAttribute("name").endsWith(" not p90>0.001us"), late.getAttribute("name"));
        Element failure = (Element) late.getElementsByTagName("failure").item(0);
        assertTrue(failure.getAttribute("message").matches("p90 is [0-9.]+ ms, .*"), failure.getAttribute("message"));
    }

    @Test
    void aPasswordInTheUrlIsInNoFile() throws Exception {
        try (TestServer server = new TestServer(BuildFilesTest::hello)) {
            String url = server.url("/").replace("//", "//me:secret@");
            Cli cli = Cli.run(
                    "http",
                    "-c=1",
                    "-n=1",
                    "--warmup=0s",
                    "-q",
                    "-o=" + folder,
                    "--junit=" + folder.resolve("j.xml"),
                    url);
            assertEquals(ExitCode.GOOD, cli.code(), cli.err());
        }
        assertNoSecret();
        assertEquals(
                "java -jar x http -n 1 http://me:***@a/ https://b:8443/@c:d",
                Target.withoutPasswords("java -jar x http -n 1 http://me:p%40:s@a/ https://b:8443/@c:d"));
        assertEquals(
                "http -H Authorization: *** -n 1 -H cookie: *** -H X: *** http://a/",
                Target.withoutPasswords(
                        "http -H Authorization: Bearer a.b-c -n 1 -H cookie:d=e; f=g -H X: y http://a/"));
        assertEquals(
                "http -H X-Api-Key: *** -n 1 -HX-Token: *** --header=a: *** --header b: *** http://a/",
                Target.withoutPasswords(
                        "http -H X-Api-Key: s3 c -n 1 -HX-Token:d --header=a: e --header b: f=g http://a/"));
    }

    private void assertNoSecret() throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                assertFalse(file.toString().contains("secret"), file.toString());
                assertFalse(Files.readString(file).contains("secret"), file.toString());
            }
        }
    }

    @Test
    void aPasswordInTheUrlsOfAMixIsSentAndInNoFile(@TempDir Path elsewhere) throws Exception {
        try (TestServer server = new TestServer(BuildFilesTest::hello)) {
            String url = server.url("/a").replace("//", "//me:secret@");
            Path urls = Files.writeString(elsewhere.resolve("urls"), url + "\n");
            for (String mix : List.of(
                    "--url=" + url,
                    "--url=2 PUT " + url,
                    "--url=" + url.substring("http:".length()),
                    "--urls=" + urls)) {
                Cli cli = Cli.run(
                        "http",
                        "-c=1",
                        "-n=1",
                        "--warmup=0s",
                        "-q",
                        mix,
                        "-o=" + folder,
                        "--junit=" + folder.resolve("j.xml"),
                        "--openmetrics=" + folder.resolve("m.txt"),
                        server.url("/"));
                assertEquals(ExitCode.GOOD, cli.code(), cli.err());
                assertFalse(cli.out().contains("secret"), cli.out());
                assertNoSecret();
            }
            assertEquals(4, server.requests().size());
            server.requests()
                    .forEach(one -> assertTrue(one.head().contains("Authorization: Basic bWU6c2VjcmV0"), "" + one));
        }
        assertEquals(
                "http --url=//me:***@a/ --url 3 GET //me:***@a/ //me:***@a/ http://a//b:c@d",
                Target.withoutPasswords("http --url=//me:p@a/ --url 3 GET //me:p@a/ //me:p@a/ http://a//b:c@d"));
    }

    @Test
    void wrongAnswersAreAFailureUnlessTheyAreForgiven() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        TestServer.Behaviour once = (request, out, socket) ->
                TestServer.send(out, asked.incrementAndGet() == 5 ? "500 \u0001" : "200 OK", "text/plain", new byte[1]);
        String file = "--junit=" + folder.resolve("new/junit.xml");
        assertEquals(ExitCode.ERRORS, run(once, file).code());
        Element failure = (Element) suite().getElementsByTagName("failure").item(0);
        assertTrue(failure.getAttribute("message").startsWith("status x 1 ("), failure.getAttribute("message"));
        asked.set(0);
        assertEquals(ExitCode.GOOD, run(once, file, "--max-errors=1").code());
        assertEquals("0", suite().getAttribute("failures"));
    }

    @Test
    void figuresThatCannotBeTrustedAreAnError() throws Exception {
        String file = "--junit=" + folder.resolve("new/junit.xml");
        Cli cli = run(BuildFilesTest::hello, "--require=server-bound", file);
        assertEquals(ExitCode.INVALID, cli.code(), cli.err());
        Element error = (Element) suite().getElementsByTagName("error").item(0);
        assertTrue(error.getAttribute("message").startsWith("invalid: "), error.getAttribute("message"));
        TestServer.Behaviour closing = (request, out, socket) -> socket.close();
        assertEquals(
                ExitCode.INVALID,
                run(closing, "-d=1ms", "--max-errors=1000000", file).code());
        Element forgiven = (Element) suite().getElementsByTagName("error").item(0);
        assertTrue(forgiven.getAttribute("message").endsWith("nothing completed"), forgiven.getAttribute("message"));
    }

    @Test
    void collectorsGetSamplesWithTheCellsSettings() throws IOException {
        Path file = folder.resolve("new/metrics.txt");
        assertEquals(
                ExitCode.GOOD,
                run(BuildFilesTest::hello, "--openmetrics=" + file).code());
        List<String> lines = Files.readAllLines(file);
        assertEquals("# EOF", lines.get(lines.size() - 1));
        assertTrue(lines.contains("# TYPE loadclient_latency_seconds summary"), lines.toString());
        String labels = "{variant=\"a\\\"b\",repetition=\"0\",clients=\"1\",method=\"GET\",";
        assertEquals(
                1,
                lines.stream()
                        .filter(line ->
                                line.startsWith("loadclient_requests_total" + labels) && line.endsWith(" 20.0000000"))
                        .count(),
                lines.toString());
        assertTrue(lines.stream().anyMatch(line -> line.contains("url=\"/a\"")), lines.toString());
        assertFalse(lines.stream().anyMatch(line -> line.contains("NaN") || line.contains("null")), lines.toString());
    }

    @Test
    void aFileThatCannotBeWrittenIsRefusedBeforeTheRun() throws IOException {
        Path file = Files.createFile(folder.resolve("file"));
        Cli cli = run(
                (request, out, socket) -> {
                    throw new AssertionError("nothing may be measured");
                },
                "--junit=" + file.resolve("junit.xml"));
        assertEquals(ExitCode.USAGE, cli.code());
        assertEquals("", cli.out());
        for (String option : List.of("--junit=", "--openmetrics=")) {
            Cli directory = run(BuildFilesTest::hello, option + folder);
            assertEquals(ExitCode.USAGE, directory.code());
            assertTrue(directory.err().contains("cannot write to " + folder + ": it is a folder"), directory.err());
            assertEquals("", directory.out());
        }
    }

    @Test
    void oneFileForTwoFormsIsRefused() throws IOException {
        String file = folder.resolve("both").toString();
        Cli cli = run(BuildFilesTest::hello, "--junit=" + file, "--openmetrics=" + file);
        assertEquals(ExitCode.USAGE, cli.code(), cli.err());
        assertTrue(cli.err().contains("--junit and --openmetrics name one file"), cli.err());
    }

    @Test
    void quietRunsPrintResultsOnly() throws IOException {
        Cli cli = run(BuildFilesTest::hello, "-o", folder.resolve("out").toString());
        assertEquals(ExitCode.GOOD, cli.code());
        assertEquals("", cli.err());
        assertEquals(1, cli.outLines().size());
        Cli repeated = run(BuildFilesTest::hello, "--repeat=2");
        assertEquals("", repeated.err());
        assertEquals(1, repeated.outLines().size());
        Cli asked = run(BuildFilesTest::hello, "--repeat=2", "--latency");
        assertEquals(4, asked.err().lines().count(), "a line and percentiles of each: " + asked.err());
        AtomicInteger requests = new AtomicInteger();
        TestServer.Behaviour seldom = (request, out, socket) -> TestServer.send(
                out, requests.incrementAndGet() % 20 == 5 ? "500 Oops" : "200 OK", "text/plain", new byte[0]);
        Cli wrong = run(seldom, "--repeat=2");
        assertEquals(4, wrong.err().lines().count(), "a line and errors of each: " + wrong.err());
    }
}
