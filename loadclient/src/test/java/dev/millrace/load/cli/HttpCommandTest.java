package dev.millrace.load.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.load.TestServer;
import dev.millrace.load.report.RunFile;
import dev.millrace.load.run.CellResult;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code loadclient http} sends what it is told to, and checks what it is told to, on any server. */
class HttpCommandTest {

    /** Elements in elements: beyond a stack of 256 KiB, and no more, for paths take time by the square of it. */
    private static final int DEPTH = 5_000;

    private static final String JSON = "{\"status\":\"ok\",\"items\":[1,2,3],\"none\":null}";
    private static final String XML = "<list xmlns:a='urn:a'><item id='1'>one</item><item id='2'/><a:other/></list>";
    /** SHA-256 of {@link #JSON}. */
    private static final String JSON_SHA256 = "4f77b4ec1d5ac5d6ae2ed7a4ab3b54e7de4c1d3f7d2a1fb03dcb6d5a0d1a7f6b";

    @TempDir
    private Path folder;

    private Cli http(String... options) {
        List<String> all = new ArrayList<>(List.of("http", "-c=1", "--warmup=0s", "-q", "-o", folder.toString()));
        all.addAll(List.of(options));
        if (all.stream().noneMatch(option -> option.startsWith("-n="))) {
            all.add(1, "-n=3");
        }
        return Cli.run(all.toArray(String[]::new));
    }

    private CellResult cell() throws IOException {
        return RunFile.read(folder.resolve("run.json")).cells().get(0);
    }

    private static TestServer.Behaviour answering(String status, String type, String body) {
        return (request, out, socket) -> TestServer.send(out, status, type, body.getBytes(UTF_8));
    }

    @Test
    void theUrlIsSentAsItIsAndNamesTheCell() throws IOException {
        try (TestServer server = new TestServer(answering("200 OK", "text/plain", "hello"))) {
            Cli cli = http(server.url("/a%20b/?x=1&method=Y"));
            assertEquals(ExitCode.GOOD, cli.code(), cli.err());
            assertEquals(
                    "GET /a%20b/?x=1&method=Y HTTP/1.1",
                    server.requests().get(0).head().get(0));
            assertEquals(3, cell().counts().requests());
            assertTrue(cli.out().startsWith("c=1 GET ka=on /a%20b/?x=1&method=Y |"), cli.out());
        }
    }

    @Test
    void charactersThatAreNotAsciiAreEncodedInUtf8() throws IOException {
        try (TestServer server = new TestServer(answering("200 OK", "text/plain", "hello"))) {
            Cli cli = http("-n=2", "--url=\u65e5?\u00fc", "--url=/%C3%A4", server.url("/\u00e4/"));
            assertEquals(ExitCode.GOOD, cli.code(), cli.err());
            assertEquals(Set.of("/%C3%A4/%E6%97%A5?%C3%BC", "/%C3%A4"), targets(server));
        }
    }

    @Test
    void aQueryAloneBelongsToTheServersOwnPath() throws IOException {
        try (TestServer server = new TestServer(answering("200 OK", "text/plain", "hello"))) {
            Cli cli = http("-n=2", "--url=?page=1", "--url=?page=2", server.url("/list/all?page=0"));
            assertEquals(ExitCode.GOOD, cli.code(), cli.err());
            assertEquals(Set.of("/list/all?page=1", "/list/all?page=2"), targets(server));
        }
    }

    @Test
    void aUserAndAPasswordInTheUrlAreSent() throws IOException {
        try (TestServer server = new TestServer(answering("200 OK", "text/plain", "hello"))) {
            String url = server.url("/").replace("//", "//me:p%C3%A4ss@");
            assertEquals(ExitCode.GOOD, http("-n=1", url).code());
            assertEquals(
                    ExitCode.GOOD, http("-n=1", "-H=authorization: other", url).code());
            List<String> sent = server.requests().stream()
                    .flatMap(one -> one.head().stream())
                    .filter(line -> line.toLowerCase(Locale.ROOT).startsWith("authorization:"))
                    .toList();
            assertEquals(List.of("Authorization: Basic bWU6cMOkc3M=", "authorization: other"), sent);
        }
    }

    @Test
    void aMethodFieldsAndABodyAreSent() throws IOException {
        Path file = Files.writeString(folder.resolve("body.json"), "{\"a\":1}");
        try (TestServer server = new TestServer(answering("200 OK", "text/plain", "hello"))) {
            Cli cli = http(
                    "-m=PATCH",
                    "-H=X-One: 1",
                    "--content-type=application/json",
                    "--body-file=" + file,
                    server.url("/"));
            assertEquals(ExitCode.GOOD, cli.code(), cli.err());
            TestServer.Request request = server.requests().get(0);
            assertEquals("PATCH / HTTP/1.1", request.head().get(0));
            assertEquals("{\"a\":1}", request.body());
            assertTrue(request.head().contains("X-One: 1"), request.head().toString());
            assertTrue(
                    request.head().contains("Content-Type: application/json"),
                    request.head().toString());
        }
    }

    @Test
    void aFileMakesAPostOfBytes() throws IOException {
        try (TestServer server = new TestServer(answering("200 OK", "text/plain", "hello"))) {
            http("--body-file=" + Files.writeString(folder.resolve("body"), "three"), server.url("/"));
            List<String> expected = List.of("POST / HTTP/1.1", "Content-Type: application/octet-stream");
            assertTrue(server.requests().get(0).head().containsAll(expected), "" + server.requests());
        }
    }

    @Test
    void aBodyMakesAPostOfText() throws IOException {
        try (TestServer server = new TestServer(answering("200 OK", "text/plain", "hello"))) {
            Cli cli = http("--body=one=1&two=2", server.url("/"));
            assertEquals(ExitCode.GOOD, cli.code(), cli.err());
            TestServer.Request request = server.requests().get(0);
            assertEquals("POST / HTTP/1.1", request.head().get(0));
            assertEquals("one=1&two=2", request.body());
            assertTrue(
                    request.head().contains("Content-Type: text/plain; charset=UTF-8"),
                    request.head().toString());
        }
    }

    /** RFC 9110 section 8.6: some servers answer 411 to a method that has content without a length. */
    @Test
    void aPostWithoutABodySaysSo() throws IOException {
        try (TestServer server = new TestServer(answering("200 OK", "text/plain", "hello"))) {
            for (String method : List.of("POST", "PUT", "PATCH", "GET", "DELETE")) {
                assertEquals(
                        ExitCode.GOOD,
                        http("-n=1", "-m=" + method, server.url("/")).code());
                boolean says = server.requests()
                        .get(server.requests().size() - 1)
                        .head()
                        .contains("Content-Length: 0");
                assertEquals(method.startsWith("P"), says, method);
            }
        }
    }

    @Test
    void aHeadAnswerHasNoBody() throws IOException {
        try (TestServer server = new TestServer((request, out, socket) ->
                out.write("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n".getBytes(UTF_8)))) {
            Cli cli = http("-m=HEAD", "--timeout=20s", server.url("/"));
            assertEquals(ExitCode.GOOD, cli.code(), cli.err());
            assertEquals(1, cell().counts().connections());
        }
    }

    @Test
    void aFileOfUrlsIsAskedInItsProportions() throws IOException {
        Path urls = Files.writeString(folder.resolve("urls"), "# weight, method, URL\n3 /a?x\n\n1 DELETE /b\n");
        try (TestServer server = new TestServer(answering("200 OK", "text/plain", "hello"))) {
            Cli cli = http("-n=40", "--urls=" + urls, server.url("/base/"));
            assertEquals(ExitCode.GOOD, cli.code(), cli.err());
            List<String> lines =
                    server.requests().stream().map(one -> one.head().get(0)).toList();
            long seldom = lines.stream().filter("DELETE /b HTTP/1.1"::equals).count();
            assertEquals(
                    40 - seldom,
                    lines.stream().filter("GET /a?x HTTP/1.1"::equals).count());
            // One of four in each whole round; the client begins inside of one.
            assertTrue(seldom >= 9 && seldom <= 11, seldom + " of 40");
            assertTrue(cli.out().startsWith("c=1 GET,DELETE ka=on 2 URLs of urls |"), cli.out());
        }
    }

    @Test
    void urlsOfOptionsAreRelativeToEachServer() throws IOException {
        TestServer.Behaviour behaviour = answering("200 OK", "text/plain", "hello");
        try (TestServer one = new TestServer(behaviour);
                TestServer other = new TestServer(behaviour)) {
            Cli cli = http("-n=4", "--url=a", "--url=1 b", one.url("/x/"), other.url("/y/"));
            assertEquals(ExitCode.GOOD, cli.code(), cli.err());
            assertEquals(Set.of("/x/a", "/x/b"), targets(one));
            assertEquals(Set.of("/y/a", "/y/b"), targets(other));
        }
    }

    private static Set<String> targets(TestServer server) {
        return Set.copyOf(
                server.requests().stream().map(TestServer.Request::target).toList());
    }

    @Test
    void aUrlOfAnotherServerIsRefused() throws IOException {
        try (TestServer server = new TestServer(answering("200 OK", "text/plain", "hello"))) {
            Cli cli = http("--url=http://127.0.0.2:9/a", server.url("/"));
            assertEquals(ExitCode.USAGE, cli.code());
            assertTrue(cli.err().contains("http://127.0.0.2:9/a is on another server"), cli.err());
            Cli none = http("--url=http:a", server.url("/"));
            assertEquals(ExitCode.USAGE, none.code(), none.err());
            assertTrue(none.err().contains("not a URL: http:a: it names no server"), none.err());
        }
    }

    @Test
    void eachCellHasAFileOfPercentilesWhateverItsUrl() throws IOException {
        try (TestServer server = new TestServer(answering("200 OK", "text/plain", "hello"))) {
            String url = server.url("/a?q=" + "x".repeat(300));
            Cli cli = http("-n=1", url + "/b", url + "_b", server.url("/a/b"), server.url("/a_b"));
            assertEquals(ExitCode.GOOD, cli.code(), cli.err());
            try (Stream<Path> files = Files.list(folder.resolve("hgrm"))) {
                assertEquals(4, files.count());
            }
            List<String> log = Files.readAllLines(folder.resolve("latency.hlog"));
            Set<String> tags = log.stream()
                    .filter(line -> line.startsWith("Tag="))
                    .map(line -> line.substring(0, line.indexOf(',')))
                    .collect(Collectors.toSet());
            assertEquals(4, tags.size(), log.toString());
        }
    }

    static Stream<Arguments> expectations() {
        return Stream.of(
                met("201 Created", "text/plain", "", "--expect-status=201"),
                met("204 No Content", "text/plain", "", "--expect-status=200,2xx"),
                met("302 Found", "text/plain", "", "--expect-status=3xx"),
                met("200 OK", "application/json", JSON, "--expect-json=/status=ok", "--expect-json=/items/2=3"),
                met("200 OK", "application/json", JSON, "--expect-json=/none=null", "--expect-json="),
                met("200 OK", "text/xml", XML, "--expect-xpath=count(//item)=2", "--expect-xpath=//item[@id='2']"),
                met(
                        "200 OK",
                        "text/plain",
                        "abc",
                        "--expect-body-sha256=" + "BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD"),
                met("200 OK", "text/plain", "", "--expect-header=Content-Type=text/plain"),
                fault("status", "status 201, expected 200", "201 Created", "text/plain", ""),
                fault(
                        "status",
                        "status 500, expected 201,3xx: busy",
                        "500 Oops",
                        "text/plain",
                        "busy",
                        "--expect-status=201,3xx"),
                fault(
                        "wrong content",
                        "/status is ok, expected bad",
                        "200 OK",
                        "application/json",
                        JSON,
                        "--expect-json=/status=bad"),
                fault(
                        "wrong content",
                        "no /missing in the JSON",
                        "200 OK",
                        "application/json",
                        JSON,
                        "--expect-json=/missing"),
                fault("wrong content", "no JSON: ", "200 OK", "application/json", "{\"a\":", "--expect-json=/a"),
                fault("wrong content", "no JSON: ", "200 OK", "application/json", "{} x", "--expect-json="),
                fault(
                        "wrong content",
                        "//item[@id='3'] is false",
                        "200 OK",
                        "text/xml",
                        XML,
                        "--expect-xpath=//item[@id='3']"),
                fault("wrong content", "no XML: ", "200 OK", "text/xml", "<list>", "--expect-xpath=//item"),
                fault(
                        "wrong content",
                        "no XML: ",
                        "200 OK",
                        "text/xml",
                        "<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><a>&b;</a>",
                        "--expect-xpath=//a"),
                fault(
                        "wrong digest",
                        "SHA-256 of the body is ba7816bf8f01cfea",
                        "200 OK",
                        "text/plain",
                        "abc",
                        "--expect-body-sha256=" + JSON_SHA256),
                fault(
                        "wrong header",
                        "Content-Type: text/plain, expected text/html",
                        "200 OK",
                        "text/plain",
                        "",
                        "--expect-header=Content-Type=text/html"));
    }

    private static Arguments met(String status, String type, String body, String... options) {
        return fault(null, null, status, type, body, options);
    }

    private static Arguments fault(
            String kind, String detail, String status, String type, String body, String... options) {
        return Arguments.of(kind, detail, status, type, body, options);
    }

    @ParameterizedTest(name = "{0}: {2} {5}")
    @MethodSource("expectations")
    void answersAreWhatIsExpected(String kind, String detail, String status, String type, String body, String[] options)
            throws IOException {
        try (TestServer server =
                new TestServer(status.startsWith("204") ? HttpCommandTest::noContent : answering(status, type, body))) {
            String[] all = Stream.concat(Stream.of(options), Stream.of(server.url("/")))
                    .toArray(String[]::new);
            Cli cli = http(all);
            CellResult cell = cell();
            if (kind == null) {
                assertEquals(ExitCode.GOOD, cli.code(), cli.err());
                assertEquals(3, cell.counts().requests());
                return;
            }
            assertEquals(ExitCode.ERRORS, cli.code(), cli.err());
            assertEquals(Set.of(kind), cell.errors().keySet());
            assertEquals(3, cell.errors().get(kind).count());
            String first = cell.errors().get(kind).first();
            assertTrue(first.contains(detail), first);
        }
    }

    /** The stack of a client's thread is small, and its end would go unnoticed. */
    @ParameterizedTest
    @ValueSource(strings = {"--expect-xpath=string(/*)='x'", "--expect-xpath=count(//a)=1", "--expect-json=/a"})
    void aDeepDocumentEndsNoClient(String expectation) throws IOException {
        String open = expectation.contains("json") ? "{\"a\":" : "<a>";
        String close = expectation.contains("json") ? "}" : "</a>";
        String body = open.repeat(DEPTH) + (expectation.contains("json") ? "1" : "x") + close.repeat(DEPTH);
        try (TestServer server = new TestServer(answering("200 OK", "text/xml", body))) {
            Cli cli = http(expectation, server.url("/"));
            CellResult cell = cell();
            assertEquals(3, cell.counts().requests() + cell.errorCount(), cli.err());
        }
    }

    private static void noContent(TestServer.Request request, OutputStream out, Socket socket) throws IOException {
        out.write("HTTP/1.1 204 No Content\r\n\r\n".getBytes(UTF_8));
    }

    @ParameterizedTest
    @MethodSource("wrongUsage")
    void wrongUsageIsOneLine(String message, String[] options) {
        Cli cli = http(options);
        assertEquals(ExitCode.USAGE, cli.code(), cli.err());
        assertEquals(1, cli.err().lines().count(), cli.err());
        assertTrue(cli.err().contains(message), cli.err());
    }

    static Stream<Arguments> wrongUsage() {
        String url = "http://127.0.0.1:9/";
        return Stream.of(
                usage("--expect-status takes", "--expect-status=20", url),
                usage("--expect-status takes", "--expect-status=777", url),
                usage("--expect-json takes", "--expect-json=status=ok", url),
                usage("--expect-xpath: ", "--expect-xpath=//[", url),
                usage("--expect-body-sha256 takes", "--expect-body-sha256=abc", url),
                usage("exclude each other", "--body=a", "--body-file=b", url),
                usage("--content-type takes --body", "--content-type=a/b", url),
                usage("no such file", "--body-file=/does/not/exist", url),
                usage("no such file", "--urls=/does/not/exist", url),
                usage("--method takes", "-m=GE T", url),
                usage("--content-type takes a line", "--body=a", "--content-type=a/b\r\nX: y", url),
                usage("--content-type takes a line", "--body=a", "--content-type=a/\u65e5", url),
                usage("--url: ", "--url=0 /a", url),
                usage("Content-Type twice", "--body=a", "--content-type=a/b", "-H=Content-Type: c/d", url));
    }

    @Test
    void aFileOfUrlsThatIsNoTextIsTold() throws IOException {
        Path urls = Files.write(folder.resolve("urls"), new byte[] {'/', (byte) 0xff, '\n'});
        Cli cli = http("--urls=" + urls, "http://127.0.0.1:9/");
        assertEquals(ExitCode.USAGE, cli.code(), cli.err());
        assertTrue(cli.err().startsWith("loadclient: --urls: " + urls + " is not in UTF-8"), cli.err());
    }

    private static Arguments usage(String message, String... options) {
        return Arguments.of(message, options);
    }
}
