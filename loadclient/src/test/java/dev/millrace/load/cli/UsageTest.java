package dev.millrace.load.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.load.TestFiles;
import dev.millrace.load.TestServer;
import dev.millrace.load.run.Interruption;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** A wrong command line is one line on standard error and exit 2. */
class UsageTest {

    private static final String URL = "http://127.0.0.1:9/x";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "nonsense",
                "uuid",
                "uuid --no-such-option " + URL,
                "uuid -c 0 " + URL,
                "uuid -c 1,x " + URL,
                "uuid -m PUT " + URL,
                "uuid --keepalive maybe " + URL,
                "uuid -d 10parsecs " + URL,
                "uuid -d 0s " + URL,
                "uuid -n -1 " + URL,
                "uuid --count 0 " + URL,
                "uuid ftp://127.0.0.1/",
                "uuid http://",
                "uuid --timeout 0s " + URL,
                "uuid -H nonsense " + URL,
                "uuid --server-pid 999999999 " + URL,
                "uuid --rcvbuf lots " + URL,
                "uuid --uuid-method a&b " + URL,
                "download --verify thoroughly " + URL,
                "download",
                "demo",
                "compare a.json",
                "compare --threshold x a b",
                "report",
                "selftest -d x",
                "uuid --repeat 0 " + URL,
                "uuid --label A,B " + URL,
                "uuid --label A,A " + URL + " " + URL,
                "uuid -R -1 " + URL,
                "uuid --order sorted " + URL,
                "uuid --require fast " + URL,
                "uuid -R 100 --require server-bound " + URL,
                "uuid --max-cov x " + URL,
                "uuid --warmup soon " + URL,
                "uuid --warmup auto --max-warmup 1s " + URL,
                "uuid --source-ip 192.0.2.1 " + URL,
                "uuid --source-ip x..y " + URL,
                "uuid --server-pid 1 --server-cmd x " + URL,
                "download --limit-rate fast " + URL,
                "download --file a --mix 1k:1 " + URL,
                "download --mix 1k " + URL,
                "download --mix 1k:0 " + URL,
                "uuid --keepalive on --disable-keepalive " + URL,
                "uuid --warmup 0x3s " + URL,
                "uuid --warmup 5x3s+soon " + URL,
                "download --quantum 64k " + URL,
                "download --limit-rate 1M --quantum 0 " + URL,
                "download --limit-rate 1M --quantum 1G " + URL,
                "download --limit-rate 1M --quantum 4k --protocol h2c " + URL,
                "uuid --server-cpu-url /stats " + URL,
                "uuid --server-cpu-url " + URL + " --server-pid 1 " + URL,
                "uuid --server-cpu-url " + URL + "," + URL + " " + URL,
                "uuid -H Content-Length:3 " + URL,
                "uuid -H transfer-encoding:chunked " + URL,
                "uuid -H Host:a -H host:b " + URL,
                "uuid -R 100 --warmup 1s --ramp 2s " + URL,
                "download --range 1k --verify none " + URL,
                "download --range 1k --verify auto " + URL,
                "download --range 1k --verify-sample 5 " + URL,
                "download --resume --verify-sample 20 " + URL,
                "download --verify=crc --verify-sample 5 " + URL,
                "uuid --drain 9999999999999h " + URL,
                "uuid --warmup 2x9999999999999h " + URL,
                "uuid --rcvbuf 99999999999G " + URL,
                "uuid --rcvbuf 99999999999999999999 " + URL,
                "uuid -H X:\u65e5 " + URL,
                "http --protocol h2c --streams 2000000000 " + URL,
                "download --protocol h2c --streams 2 --resume " + URL,
                "download --protocol h2c --streams 2 --limit-rate 1M " + URL,
                "uuid --max-warmup 20s " + URL,
                "uuid --repeat 2147483647 " + URL,
                "uuid --max-errors -1 " + URL,
                "uuid --max-cov Infinity " + URL,
                "uuid --margin 3 " + URL,
                "uuid --format json " + URL,
                "selftest -d 0s"
            })
    void wrongUsageIsOneLineAndExitTwo(String line) {
        Cli cli = Cli.run(line.isEmpty() ? new String[0] : line.split(" "));
        assertEquals(ExitCode.USAGE, cli.code(), cli.err());
        assertEquals(1, cli.err().lines().count(), cli.err());
        assertTrue(cli.err().startsWith("loadclient: "), cli.err());
        assertEquals("", cli.out());
    }

    /** The reason is that of the user's value. */
    @Test
    void valuesBeyondTheirBoundHaveTheirOwnReason() {
        assertReason("--timeout must be at most 596h", "uuid", "--timeout=10000h", URL);
        assertReason("--rate takes numbers that are not negative", "uuid", "--rate=Infinity", URL);
        assertReason("--rate must be at most 1,000,000,000", "uuid", "--rate=1e21", URL);
        assertReason("--rate must be at most 1,000,000,000", "http", "--rate=5,1000000001", URL);
        assertReason("--budget takes two URLs: runs are over", "compare", "--budget=5m", "a", "b");
        assertReason("--margin takes per cent, not Infinity", "compare", "--margin=Infinity", "a", "b");
        assertReason("--duration must be above 0", "demo", "-d=0s", "none.war");
        assertReason("--repeat must be 0 to 10000", "replay", "--repeat=2147483647", "mina");
    }

    /** The body says it all, and two cells would be the same request. */
    @Test
    void aBodyOfTheUsersLeavesNothingToTheOptionsOfUuids() {
        String reason = "--body-file excludes --uuid-method and --name: the body says how UUIDs are made";
        assertReason(reason, "uuid", "-m=POST", "--body-file=b", "--uuid-method=RANDOM,TIME", URL);
        assertReason(reason, "uuid", "-m=POST", "--body-file=b", "--name=x", URL);
    }

    /** They would count as repetitions with the same number, and a comparison pairs each of these with each. */
    @Test
    void twoCellsOfTheSameSettingsAreRefused() {
        String again = "; --repeat measures cells again";
        assertReason("two cells have the same name: c=8 GET ka=on RANDOM n=1" + again, "uuid", "-c=8,8", URL);
        assertReason("two cells have the same name: c=8 GET ka=on /x" + again, "http", "--keepalive=on,off,on", URL);
    }

    private static void assertReason(String reason, String... args) {
        Cli cli = Cli.run(args);
        assertEquals(ExitCode.USAGE, cli.code(), cli.err());
        assertEquals(
                "loadclient: " + reason + " (see loadclient " + args[0] + " --help)",
                cli.err().strip());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "http ",
                "uuid ",
                "download ",
                "catalog ",
                "compare ",
                "report ",
                "selftest ",
                "demo ",
                "replay "
            })
    void helpHasExamplesAndExitZero(String command) {
        Cli cli = Cli.run((command + "--help").split(" "));
        assertEquals(ExitCode.GOOD, cli.code());
        assertTrue(cli.out().contains("Usage: loadclient " + command.strip()), cli.out());
        assertTrue(command.isEmpty() || cli.out().contains("Example"), cli.out());
    }

    @ParameterizedTest
    @ValueSource(strings = {"http", "uuid", "download", "catalog", "compare", "report", "selftest", "demo", "replay"})
    void examplesAreLinesThatCanBeCopied(String command) {
        Interruption interruption = new Interruption();
        interruption.finished();
        CommandLine line = Main.commandLine(interruption).getSubcommands().get(command);
        List<String> printed = Cli.run(command, "--help").outLines();
        List<String> footer = List.of(line.getCommandSpec().usageMessage().footer());
        footer.stream()
                .filter(text -> text.startsWith("  "))
                .forEach(example -> assertTrue(printed.contains(example), example));
        assertTrue(
                printed.stream()
                        .filter(text -> text.contains("http://"))
                        .allMatch(text -> text.matches(".*http://127\\.0\\.0\\.1:808[01]/\\S*( .*)?")),
                command);
    }

    @Test
    void aMissingCatalogueNamesBothPlaces() throws Exception {
        try (TestServer server = new TestServer(
                (request, out, socket) -> TestServer.send(out, "404 Not Found", "text/plain", new byte[0]))) {
            Cli cli = Cli.run("download", "--catalog=/none.json", server.url("/f/"));
            assertEquals(ExitCode.ERRORS, cli.code());
            assertEquals(
                    "loadclient: cannot read the catalogue " + server.url("/none.json") + ": status 404"
                            + "; expected is {\"files\":[{\"name\":\"a.bin\",\"size\":1024,\"md5\":\"...\"}]} (loadclient catalog "
                            + "writes one, --file NAME does without); nor is there "
                            + "a local file /none.json",
                    cli.err().strip());
        }
    }

    @Test
    void anUnknownFileOfTheCatalogueIsAUsageError() throws Exception {
        byte[] content = TestFiles.content(10);
        try (TestServer server = new TestServer((request, out, socket) ->
                TestServer.send(out, "200 OK", "application/json", TestFiles.catalog("a", content)))) {
            Cli cli = Cli.run("download", "--file=b", server.url("/f/"));
            assertEquals(ExitCode.USAGE, cli.code());
            assertTrue(cli.err().startsWith("loadclient: no file b in the catalogue"), cli.err());
        }
    }

    @Test
    void clientsThatNeverBeginAreTold() throws IOException {
        try (TestServer server = new TestServer(TestServer.unhurried(
                (request, out, socket) -> TestServer.send(out, "200 OK", "text/plain", "hello".getBytes(US_ASCII))))) {
            Cli cli = Cli.run(
                    "http", "-c=8", "-d=200ms", "--warmup=0s", "--ramp=10s", "--progress=none", server.url("/"));
            assertEquals(ExitCode.GOOD, cli.code(), cli.err());
            assertTrue(cli.err().contains("note: clients began in the window"), cli.err());
            assertTrue(cli.err().contains(": 1 of 8 did"), cli.err());
        }
    }
}
