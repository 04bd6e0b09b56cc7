package dev.millrace.load.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.load.TestFiles;
import dev.millrace.load.TestServer;
import dev.millrace.load.host.Sockets;
import dev.millrace.load.report.RunFile;
import dev.millrace.load.run.RunSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Options for answers, requests, output and pauses. */
class OptionsTest {

    @TempDir
    private Path folder;

    private static Cli uuid(TestServer server, String... options) {
        List<String> args = new ArrayList<>(List.of("uuid", "-c=1", "-n=4", "--warmup=0s", "-q"));
        args.addAll(List.of(options));
        args.add(server.url("/generate-uuid"));
        return Cli.run(args.toArray(String[]::new));
    }

    @Test
    void aHeaderThatIsExpectedAndMissingIsAnError() throws IOException {
        try (TestServer server = new TestServer(TestServer::answerUuids)) {
            assertEquals(
                    ExitCode.GOOD,
                    uuid(server, "--expect-header=Content-Type=text/xml").code());
            assertEquals(
                    ExitCode.GOOD,
                    uuid(server, "--expect-header=content-length").code());
            Cli missing = uuid(server, "--expect-header=ETag");
            assertEquals(ExitCode.ERRORS, missing.code());
            assertTrue(missing.err().contains("wrong header x 4 (ETag: (none))"), missing.err());
            Cli other = uuid(server, "--expect-header=Content-Type=text/plain");
            assertTrue(other.err().contains("Content-Type: text/xml, expected text/plain"), other.err());
            assertEquals(ExitCode.USAGE, uuid(server, "--expect-header=no good").code());
        }
    }

    @Test
    void aHeaderMayBeOneOfSeveral() throws IOException {
        String answer = "HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nContent-Length: 0\r\n\r\n";
        try (TestServer server = new TestServer((request, out, socket) -> out.write(answer.getBytes(US_ASCII)))) {
            String[] words = {"http", "-n=1", "--warmup=0s", "-q", "", server.url("/")};
            for (String value : List.of("a=1", "b=2")) {
                words[4] = "--expect-header=set-cookie=" + value;
                assertEquals(ExitCode.GOOD, Cli.run(words).code(), value);
            }
            words[4] = "--expect-header=set-cookie=c=3";
            assertTrue(Cli.run(words).err().contains("wrong header x 1 (set-cookie: a=1, expected c=3)"));
        }
    }

    @Test
    void aKeyIsSentFromTheFirstRequestOn() throws IOException {
        byte[] content = TestFiles.content(5000);
        try (TestServer server = new TestServer((request, out, socket) -> {
            if (request.head().contains("X-Key: 1")) {
                TestServer.send(
                        out,
                        "200 OK",
                        "x/y",
                        request.target().endsWith("json") ? TestFiles.catalog("a", content) : content);
            } else {
                TestServer.send(out, "401 Unauthorized", "x/y", new byte[0]);
            }
        })) {
            Cli cli = Cli.run("download", "-c=1", "-n=1", "--warmup=0s", "-H", "X-Key: 1", server.url("/"));
            assertEquals(ExitCode.GOOD, cli.code(), cli.err());
            Cli ranges = Cli.run(
                    "download", "-c=1", "-n=1", "--warmup=0s", "--range=any", "-H", "X-Key: 1", server.url("/"));
            assertTrue(ranges.err().contains("status 200 for bytes "), "learned, and then measured: " + ranges.err());
        }
    }

    @Test
    void aCatalogueIsWantedWholeAndAKeyIsNotToldToOthers() throws IOException {
        byte[] content = TestFiles.content(5000);
        try (TestServer other = new TestServer((request, out, socket) ->
                        TestServer.send(out, "200 OK", "x/y", TestFiles.catalog("a", content)));
                TestServer server =
                        new TestServer((request, out, socket) -> TestServer.send(out, "200 OK", "x/y", content))) {
            assertEquals(
                    ExitCode.GOOD,
                    Cli.run(
                                    "download",
                                    "-c=1",
                                    "-n=1",
                                    "--warmup=0s",
                                    "-H",
                                    "X-Key: 1",
                                    "--catalog=" + other.url("/all.json"),
                                    server.url("/"))
                            .code());
            assertFalse(other.requests().get(0).head().contains("X-Key: 1"));
            Cli.run(
                    "download",
                    "-n=1",
                    "--warmup=0s",
                    "-H",
                    "X-Key: 2",
                    "-H",
                    "accept-encoding: gzip",
                    "-H",
                    "Range: bytes=0-1",
                    "--catalog=all.json",
                    other.url("/"));
            List<String> head = other.requests().get(1).head();
            assertTrue(head.contains("X-Key: 2"), head.toString());
            assertFalse(head.contains("accept-encoding: gzip") || head.contains("Range: bytes=0-1"), head.toString());
        }
    }

    @Test
    void thereIsOneHost() throws IOException {
        try (TestServer server = new TestServer(TestServer::answerUuids)) {
            assertEquals(ExitCode.GOOD, uuid(server, "-H", "host: a").code());
            String url = server.url("/generate-uuid").replace("//", "//me:secret@");
            assertEquals(
                    ExitCode.GOOD,
                    Cli.run("uuid", "-c=1", "-n=1", "--warmup=0s", url).code());
            assertEquals(
                    List.of(
                            List.of("host: a"),
                            List.of("Host: " + server.url("").substring(7))),
                    server.requests().stream()
                            .map(request -> request.head().stream()
                                    .filter(line ->
                                            line.toLowerCase(Locale.ROOT).startsWith("host:"))
                                    .toList())
                            .distinct()
                            .toList());
        }
    }

    @Test
    void aBodyOfTheUsersIsSentAsItIs() throws IOException {
        Path body = Files.writeString(folder.resolve("body.xml"), "<request count=\"2\"><!-- mine --></request>");
        try (TestServer server = new TestServer(TestServer::answerUuids)) {
            assertEquals(
                    ExitCode.GOOD,
                    uuid(server, "-m=POST", "--count=2", "--body-file=" + body).code());
            assertTrue(server.requests().stream()
                    .allMatch(request -> request.body().contains("<!-- mine -->")));
            assertEquals(ExitCode.USAGE, uuid(server, "--body-file=" + body).code(), "GET has none");
            Cli missing = uuid(server, "-m=POST", "--body-file=" + folder.resolve("none"));
            assertEquals(ExitCode.USAGE, missing.code());
            assertTrue(missing.err().startsWith("loadclient: no such file: "), missing.err());
        }
    }

    @Test
    void onlyTheFormsAskedForAreWritten() throws IOException {
        try (TestServer server = new TestServer(TestServer::answerUuids)) {
            Path some = folder.resolve("some");
            assertEquals(
                    ExitCode.GOOD,
                    uuid(server, "--format=csv,hlog", "-o", some.toString()).code());
            try (var files = Files.list(some)) {
                assertEquals(
                        List.of("cells.csv", "latency.hlog"),
                        files.map(file -> file.getFileName().toString())
                                .sorted()
                                .toList());
            }
            Path all = folder.resolve("all");
            uuid(server, "-o", all.toString());
            for (String name : List.of("run.json", "cells.txt", "cells.csv", "report.html", "latency.hlog", "hgrm")) {
                assertTrue(Files.exists(all.resolve(name)), name);
            }
            assertEquals(ExitCode.USAGE, uuid(server, "--format=pdf").code());
        }
    }

    @Test
    void theTextIsWhatStandardOutputShows() throws IOException {
        try (TestServer server = new TestServer(TestServer::answerUuids)) {
            for (String repeat : List.of("1", "3")) {
                Cli cli = uuid(server, "--count=1,20", "--repeat=" + repeat, "--format=text", "-o", folder.toString());
                assertEquals(2, cli.outLines().size());
                assertEquals(cli.out(), Files.readString(folder.resolve("cells.txt")));
            }
        }
    }

    @Test
    void connectionsAreNotUsedAgainWhenThatIsDisabled() throws IOException {
        try (TestServer server = new TestServer(TestServer::answerUuids)) {
            assertEquals(ExitCode.GOOD, uuid(server, "--disable-keepalive").code());
            assertEquals(
                    4,
                    server.requests().stream()
                            .filter(TestServer.Request::wantsClose)
                            .count());
        }
    }

    @Test
    void aDryRunCountsTheBurstsOfTheWarmUp() throws IOException {
        try (TestServer server = new TestServer(TestServer::answerUuids)) {
            Cli cli = Cli.run("uuid", "--warmup=5x3s+2s", "-d=10s", "--dry-run", server.url("/"));
            assertEquals("1 cells, about 35s", cli.outLines().get(1));
            assertEquals(
                    "1 cells, about 25s",
                    Cli.run("uuid", "--warmup=5x3s", "-d=10s", "--dry-run", server.url("/"))
                            .outLines()
                            .get(1));
        }
    }

    /** Its bound on the rounds is one against mistakes: they would take three days. */
    @Test
    void aDryRunWithABudgetTellsTheBudget() {
        Cli cli = Cli.run("http", "--budget=30m", "--dry-run", "http://127.0.0.1:1/", "http://127.0.0.1:2/");
        assertEquals(ExitCode.GOOD, cli.code(), cli.err());
        assertEquals(
                List.of(
                        "127.0.0.1:1 c=8 GET ka=on /",
                        "127.0.0.1:2 c=8 GET ka=on /",
                        "2 cells, again and again for at most 30m"),
                cli.outLines());
    }

    @Test
    void timesAreWrittenAsOptionsTakeThem() {
        for (String text : List.of("0s", "1ms", "1500ms", "1s", "59s", "1m", "90s", "60m", "10001ms")) {
            assertEquals(text, RunSettings.text(Units.duration(text)));
        }
        assertEquals("2m", RunSettings.text(Units.duration("120")));
        assertEquals("1800ms", RunSettings.text(Units.duration("0.03m")));
    }

    @Test
    void percentilesArePrintedWhenAskedFor() throws IOException {
        try (TestServer server = new TestServer(TestServer::answerUuids)) {
            List<String> lines = uuid(server, "--latency").outLines();
            assertEquals(2, lines.size());
            assertTrue(
                    lines.get(1).matches("  latency ms: 50% \\S+ 75% \\S+ 90% .* 99.99% \\S+ 100% \\S+"), lines.get(1));
        }
    }

    @Test
    void someErrorsMayBeAllowed() throws IOException {
        assertEquals(ExitCode.ERRORS, failing(2).code());
        assertEquals(ExitCode.ERRORS, failing(2, "--max-errors=1").code());
        assertEquals(ExitCode.GOOD, failing(2, "--max-errors=2").code());
    }

    @Test
    void errorsHaveNoLatency() throws IOException {
        List<String> lines = failing(4, "--latency").outLines();
        assertTrue(lines.get(0).contains(" | p50      - p99      - ms | err 4 | errors"), lines.get(0));
        assertEquals("  latency ms: 50% - 75% - 90% - 99% - 99.9% - 99.99% - 100% -", lines.get(1));
    }

    @Test
    void nothingButErrorsIsForgiven() throws IOException {
        assertEquals(ExitCode.ERRORS, failing(4, "--max-errors=3").code());
        Cli all = failing(4, "--max-errors=4");
        assertEquals(ExitCode.INVALID, all.code());
        assertTrue(all.err().contains("loadclient: --max-errors forgives errors, not this: c=1 GET "), all.err());
        assertTrue(all.err().contains("nothing completed"), all.err());
        assertEquals(ExitCode.ERRORS, failing(1, "--require=server-bound").code());
        assertEquals(
                ExitCode.INVALID,
                failing(1, "--require=server-bound", "--max-errors=9").code());
        assertEquals(
                ExitCode.INVALID,
                failing(0, "--require=server-bound", "--max-errors=9").code());
    }

    /** Four requests, of which the first ones fail. */
    private static Cli failing(int requests, String... options) throws IOException {
        AtomicInteger number = new AtomicInteger();
        try (TestServer server = new TestServer((request, out, socket) -> {
            if (number.incrementAndGet() > requests) {
                TestServer.answerUuids(request, out, socket);
            } else {
                TestServer.send(out, "500 Internal Server Error", "text/plain", "no".getBytes(US_ASCII));
            }
        })) {
            return uuid(server, options);
        }
    }

    @Test
    void quietMeansThatStandardErrorIsForErrors() throws IOException {
        try (TestServer server = new TestServer(TestServer::answerUuids)) {
            Cli cli = Cli.run("uuid", "-c=1", "-d=1200ms", "--warmup=0s", "-q", server.url("/generate-uuid"));
            assertFalse(cli.err().contains("window"), cli.err());
        }
    }

    @Test
    void cellsAreKeptApartByACoolDown() throws IOException {
        try (TestServer server = new TestServer(TestServer::answerUuids)) {
            long start = System.nanoTime();
            assertEquals(
                    ExitCode.GOOD,
                    uuid(server, "--count=1,2,3", "--cooldown=300ms").code());
            assertTrue(System.nanoTime() - start >= Duration.ofMillis(600).toNanos(), "two rests for three cells");
            assertEquals(new CoolDown(Duration.ofSeconds(60), true), CoolDown.of("auto"));
            assertEquals(ExitCode.USAGE, uuid(server, "--cooldown=later").code());
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void theSystemTellsOfRestingSocketsAndDescriptors() {
        assertTrue(Sockets.inTimeWait().orElse(-1) >= 0);
        assertTrue(Sockets.freeDescriptors().orElse(0) > 10);
    }

    @Test
    void clientsBeyondTheDescriptorsAreRefusedBeforehand() {
        assertTrue(Preflight.descriptors(1000, OptionalLong.of(1024))
                .orElseThrow()
                .startsWith("1,000 clients need as many file descriptors, 1,024 are free: raise the limit"));
        assertTrue(Preflight.descriptors(1000, OptionalLong.of(20_000)).isEmpty());
        assertTrue(Preflight.descriptors(1000, OptionalLong.empty()).isEmpty());
    }

    @Test
    void theSampleOfMd5CanBeChosen() throws IOException {
        byte[] content = TestFiles.content(5000);
        try (TestServer server = new TestServer((request, out, socket) -> TestServer.send(
                out, "200 OK", "x/y", request.target().endsWith("json") ? TestFiles.catalog("a", content) : content))) {
            assertEquals(
                    ExitCode.GOOD,
                    Cli.run(
                                    "download",
                                    "-c=1",
                                    "-n=3",
                                    "--warmup=0s",
                                    "--verify-sample=1",
                                    "-o",
                                    folder.toString(),
                                    server.url("/"))
                            .code());
            assertEquals(
                    "of one in 1, of all when throttled",
                    RunFile.read(folder.resolve("run.json")).plan().get("MD5"),
                    "runs that differ in it are not merged");
            assertEquals(
                    ExitCode.USAGE,
                    Cli.run("download", "--verify-sample=0", server.url("/")).code());
        }
    }

    @Test
    void theReportSaysWhatWasCheckedOfABody() throws IOException {
        assertEquals("every byte", verified("--range=any"));
        assertEquals("auto", verified("--resume"));
        assertEquals("md5", verified("--verify=md5"));
    }

    private String verified(String option) throws IOException {
        byte[] content = TestFiles.content(1);
        try (TestServer server = new TestServer((request, out, socket) -> TestServer.send(
                out, "200 OK", "x/y", request.target().endsWith("json") ? TestFiles.catalog("a", content) : content))) {
            Cli.run(
                    "download",
                    "-c=1",
                    "-n=1",
                    "--warmup=0s",
                    "-q",
                    "--format=json",
                    "-o",
                    folder.toString(),
                    option,
                    server.url("/"));
        }
        return RunFile.read(folder.resolve("run.json")).plan().get("verified");
    }
}
