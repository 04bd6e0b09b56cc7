package dev.millrace.load.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.load.TestFiles;
import dev.millrace.load.TestServer;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Catalogues: made of a folder, missing, wrong, and done without. */
class CatalogTest {

    private static final byte[] FILE = TestFiles.content(5000);

    @TempDir
    private Path folder;

    private static TestServer server(int status) throws IOException {
        return new TestServer((request, out, socket) -> {
            boolean file = request.target().endsWith("/b%20c.bin");
            TestServer.send(
                    out,
                    file ? "200 OK" : status + " Other",
                    "application/octet-stream",
                    file ? FILE : "{\"files\":1}".getBytes(UTF_8));
        });
    }

    private static Cli download(TestServer server, String... options) {
        String[] all = new String[options.length + 6];
        System.arraycopy(
                new String[] {"download", "-c=1", "-n=4", "--warmup=0s", "--progress=none", server.url("/a/")},
                0,
                all,
                0,
                6);
        System.arraycopy(options, 0, all, 6, options.length);
        return Cli.run(all);
    }

    @Test
    void aFolderIsListedAndItsCatalogueIsRead() throws IOException {
        Files.write(folder.resolve("b c.bin"), FILE);
        Files.createDirectories(folder.resolve("sub"));
        Files.writeString(folder.resolve("sub/d.txt"), "d");
        for (int i = 0; i < 2; i++) {
            Cli cli = Cli.run("catalog", folder.toString());
            assertEquals(ExitCode.GOOD, cli.code(), cli.err());
            assertEquals(folder.resolve("catalog.json") + ": 2 files", cli.out().strip());
        }
        String json = Files.readString(folder.resolve("catalog.json"));
        assertTrue(json.contains("\"name\" : \"sub/d.txt\""), json);
        assertTrue(json.contains("8277e0910d750195b448797616e091ad"), json);
        try (TestServer server = server(404)) {
            Cli cli = download(server, "--file=b c.bin", "--catalog=" + folder.resolve("catalog.json"));
            assertEquals(ExitCode.GOOD, cli.code(), cli.err());
        }
    }

    @Test
    void aFolderThatIsMissingOrEmptyIsNamed() throws IOException {
        assertEquals(
                ExitCode.USAGE,
                Cli.run("catalog", folder.resolve("x").toString()).code());
        Cli cli = Cli.run("catalog", folder.toString());
        assertEquals(ExitCode.USAGE, cli.code());
        assertTrue(cli.err().contains("no file in " + folder), cli.err());
    }

    @Test
    void namedFilesNeedNoCatalogue() throws IOException {
        try (TestServer server = server(404)) {
            Cli cli = download(server, "--file=b c.bin");
            assertEquals(ExitCode.GOOD, cli.code(), cli.err());
            assertTrue(cli.err().contains("sizes and MD5 are those of a first download"), cli.err());
            assertEquals(
                    5,
                    server.requests().stream()
                            .filter(one -> one.target().equals("/a/b%20c.bin"))
                            .count());
            cli = download(server, "--file=b c.bin", "--catalog=none");
            assertEquals(ExitCode.GOOD, cli.code(), cli.err());
            assertTrue(download(server, "--catalog=none").err().contains("--catalog=none takes --file NAME"));
        }
    }

    @Test
    void aFileThatChangesAfterTheFirstDownloadIsWrong() throws IOException {
        AtomicInteger downloads = new AtomicInteger();
        try (TestServer server = new TestServer((request, out, socket) -> TestServer.send(
                out, "200 OK", "a/b", downloads.incrementAndGet() < 3 ? FILE : new byte[FILE.length]))) {
            Cli cli = download(server, "--file=b", "--catalog=none");
            assertEquals(ExitCode.ERRORS, cli.code(), cli.err());
            assertTrue(cli.err().contains("wrong digest x 3"), cli.err());
        }
    }

    /** Sends a file, or a part of it, as a server does that does not know its length. */
    private static void chunked(TestServer.Request request, OutputStream out, byte[] file, int chunkBytes)
            throws IOException {
        Matcher range = Pattern.compile("Range: bytes=(\\d*)-(\\d*)").matcher(String.join("\n", request.head()));
        int first = 0;
        int last = file.length - 1;
        String status = "200 OK\r\nETag: \"1\"";
        if (range.find()) {
            boolean suffix = range.group(1).isEmpty();
            first = suffix ? file.length - Integer.parseInt(range.group(2)) : Integer.parseInt(range.group(1));
            last = suffix || range.group(2).isEmpty() ? last : Integer.parseInt(range.group(2));
            status = "206 Partial Content\r\nETag: \"1\"\r\nContent-Range: bytes " + first + "-" + last + "/"
                    + file.length;
        }
        out.write(("HTTP/1.1 " + status + "\r\nTransfer-Encoding: chunked\r\n\r\n").getBytes(UTF_8));
        for (int at = first; at <= last; at += chunkBytes) {
            int length = Math.min(chunkBytes, last - at + 1);
            out.write((Integer.toHexString(length) + "\r\n").getBytes(UTF_8));
            out.write(file, at, length);
            out.write("\r\n".getBytes(UTF_8));
        }
        out.write("0\r\n\r\n".getBytes(UTF_8));
    }

    @ParameterizedTest
    @CsvSource({"--verify=auto, 500", "--verify=length, 500", "--range=1k, 500", "--resume, 500", "--resume, 5000"})
    void aServerNeedNotAnnounceTheLengthOfAFileThatWasLearnt(String option, int chunkBytes) throws IOException {
        try (TestServer server = new TestServer((request, out, socket) -> chunked(request, out, FILE, chunkBytes))) {
            Cli cli = download(server, "--file=b", "--catalog=none", option);
            assertEquals(ExitCode.GOOD, cli.code(), cli.err());
            assertTrue(cli.out().contains("| err 0 "), cli.out());
        }
    }

    @Test
    void aFileWithoutALengthIsCheckedAllTheSame() throws IOException {
        AtomicInteger downloads = new AtomicInteger();
        byte[] wrong = FILE.clone();
        wrong[123] ^= 1;
        List<byte[]> answers = List.of(FILE, FILE, wrong, Arrays.copyOf(FILE, 4000), Arrays.copyOf(FILE, 6000));
        try (TestServer server = new TestServer(
                (request, out, socket) -> chunked(request, out, answers.get(downloads.getAndIncrement()), 500))) {
            Cli cli = download(server, "--file=b", "--catalog=none");
            assertEquals(ExitCode.ERRORS, cli.code(), cli.err());
            for (String error : List.of(
                    "wrong digest x 1",
                    "short body x 1 (4000 of 5000 bytes of b)",
                    "wrong content x 1 (1000 surplus bytes after b)")) {
                assertTrue(cli.err().contains(error), error + " in " + cli.err());
            }
        }
    }

    /** Any 5,000 bytes would be right. */
    @Test
    void aFileWithoutADigestIsNotTakenForOneThatIsChecked() throws IOException {
        String sizes = "{\"files\":[{\"name\":\"a\",\"size\":5000},{\"name\":\"b\",\"size\":5000}]}";
        Path local = Files.writeString(folder.resolve("sizes.json"), sizes);
        String unchecked = " gives no MD5 of a and others, 2 in all";
        try (TestServer server =
                new TestServer((request, out, socket) -> TestServer.send(out, "200 OK", "a/b", new byte[5000]))) {
            for (String check : List.of("md5", "crc")) {
                Cli cli = download(server, "--catalog=" + local, "--verify=" + check);
                assertEquals(ExitCode.USAGE, cli.code(), cli.err());
                assertTrue(cli.err().startsWith("loadclient: --verify=" + check + ": the catalogue of "), cli.err());
                assertTrue(cli.err().contains(unchecked), cli.err());
            }
            assertTrue(server.requests().isEmpty(), "nothing is measured");
            Cli cli = download(server, "--catalog=" + local);
            assertEquals(ExitCode.GOOD, cli.code(), cli.err());
            assertTrue(cli.err().contains(unchecked + ": the content is not checked"), cli.err());
            Cli length = download(server, "--catalog=" + local, "--verify=length");
            assertEquals(ExitCode.GOOD, length.code(), length.err());
            assertFalse(length.err().contains("MD5"), length.err());
        }
    }

    @Test
    void aFileThatIsNotThereIsNamed() throws IOException {
        try (TestServer server = server(404)) {
            Cli cli = download(server, "--file=x", "--catalog=none");
            assertEquals(ExitCode.ERRORS, cli.code());
            assertTrue(cli.err().contains("cannot download x below " + server.url("/a/") + ": status 404"), cli.err());
        }
    }

    @Test
    void aCatalogueThatCannotBeReadIsNamedWithTheFormExpected() throws IOException {
        Path local = Files.writeString(folder.resolve("wrong.json"), "{}");
        try (TestServer server = server(200)) {
            assertUnreadable(download(server), server.url("/a/catalog.json"));
            assertUnreadable(download(server, "--catalog=" + local), local.toString());
        }
        try (TestServer server = server(404)) {
            assertUnreadable(download(server), server.url("/a/catalog.json") + ": status 404");
        }
    }

    /** A text of JSON may have any value at any place. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "null",
                "[]",
                "{\"files\":null}",
                "{\"files\":[null]}",
                "{\"files\":[{\"name\":null,\"size\":1}]}",
                "{\"files\":[{\"name\":\"\",\"size\":1}]}",
                "{\"files\":[{\"name\":\"a\",\"size\":null}]}",
                "{\"files\":[{\"name\":\"a\",\"size\":-1}]}",
                "{\"files\":[{\"name\":\"a\",\"size\":1,\"md5\":\"12\"}]}"
            })
    void aCatalogueWithAPartThatIsNoneIsNamedWithTheFormExpected(String text) throws IOException {
        Path local = Files.writeString(folder.resolve("wrong.json"), text);
        try (TestServer server = server(404)) {
            assertUnreadable(download(server, "--catalog=" + local), local.toString());
            assertTrue(server.requests().isEmpty());
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aLocalCatalogueThatTheSystemDoesNotReadIsNamed() throws IOException {
        try (TestServer server = server(404)) {
            assertUnreadable(download(server, "--catalog=/proc/self/mem"), "/proc/self/mem: Input/output error");
            assertUnreadable(download(server, "--catalog=my files.json"), "my files.json: Illegal character");
        }
    }

    @Test
    void aCatalogueWithoutEndIsGivenUp() throws IOException {
        byte[] blanks = new byte[1 << 20];
        Arrays.fill(blanks, (byte) ' ');
        try (TestServer server = new TestServer((request, out, socket) -> {
            out.write("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n".getBytes(UTF_8));
            for (int i = 0; i < 80; i++) {
                out.write(blanks);
            }
            socket.close();
        })) {
            Cli cli = download(server);
            assertUnreadable(cli, server.url("/a/catalog.json"));
            assertTrue(cli.err().contains("it has more than 67108864 bytes"), cli.err());
        }
    }

    /** With --range, such a mistake was told behind the downloads of all files. */
    @Test
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "--server-cmd goes through /bin/sh")
    void whatNeedsNoCatalogueIsRefusedBeforeTheServerIsStarted() {
        Path started = folder.resolve("started");
        for (List<String> wrong : List.of(
                List.of("--catalog=none"),
                List.of("--catalog=none", "--file=each"),
                List.of("--mix=1k:1,2k"),
                List.of("--together", "-n=10"),
                List.of("--together", "--limit-rate=1M"))) {
            List<String> words = new ArrayList<>(List.of("download", "--warmup=0s"));
            words.addAll(wrong);
            for (int port : wrong.contains("--together") ? new int[] {9, 7} : new int[] {9}) {
                words.addAll(List.of("--server-cmd", "touch '" + started + "'", "http://127.0.0.1:" + port + "/"));
            }
            Cli cli = Cli.run(words.toArray(String[]::new));
            assertEquals(ExitCode.USAGE, cli.code(), wrong + " " + cli.err());
            assertTrue(cli.err().startsWith("loadclient: " + wrong.get(0).replaceFirst("=.*", "")), cli.err());
            assertFalse(Files.exists(started), wrong.toString());
        }
    }

    @Test
    void rangesOfEmptyFilesAreRefused() throws IOException {
        try (TestServer server = new TestServer((request, out, socket) -> TestServer.send(
                out,
                "200 OK",
                "application/json",
                request.target().endsWith(".json") ? TestFiles.catalog("a", new byte[0]) : new byte[0]))) {
            Cli cli = download(server, "--range=1k");
            assertEquals(ExitCode.USAGE, cli.code(), cli.err());
            assertTrue(cli.err().startsWith("loadclient: --range takes files that are not empty"), cli.err());
        }
    }

    private static void assertUnreadable(Cli cli, String source) {
        assertEquals(ExitCode.ERRORS, cli.code(), cli.err());
        assertEquals(1, cli.err().lines().count(), cli.err());
        assertTrue(cli.err().contains("cannot read the catalogue " + source), cli.err());
        assertTrue(cli.err().contains("expected is {\"files\":[{\"name\""), cli.err());
    }
}
