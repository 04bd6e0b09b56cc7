package dev.millrace.files;

import static dev.millrace.files.FileSettingsTest.get;
import static dev.millrace.files.FileSettingsTest.request;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.RawClient.Answer;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import dev.millrace.transfer.TransferStatistics;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.compression.server.CompressionHandler;
import org.eclipse.jetty.http.DateGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Ranges of files, by the kernel where that is possible. Over TLS, too: {@link FileRangesOverTlsTest}. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#ours")
class FileRangesTest {
    @Parameter
    Connectors connectors;

    @TempDir
    Path directory;

    TestServer server() {
        return new TestServer(connectors::http);
    }

    RawClient client(int port) throws Exception {
        return new RawClient(port);
    }

    /** How large parts go. */
    String way() {
        return "yes";
    }

    /** How many of these answers the kernel sends. */
    int byKernel(int answers) {
        return answers;
    }

    private SendfileHandler files() {
        SendfileHandler files = Handlers.files(directory);
        files.getSettings().setDebugHeader(true);
        return files;
    }

    @Test
    void sendsARangeUncompressed() throws Exception {
        byte[] text = "All work and no play. ".repeat(5000).getBytes(StandardCharsets.UTF_8);
        Files.write(directory.resolve("text.txt"), text);
        CompressionHandler compression = new CompressionHandler(files());
        try (TestServer server = server().start(compression);
                RawClient client = client(server.port())) {
            Answer range = client.send(get("/text.txt", "Accept-Encoding: gzip", "Range: bytes=1000-50999"))
                    .answer();
            assertEquals(206, range.status());
            assertArrayEquals(Arrays.copyOfRange(text, 1000, 51000), range.body());
            assertNull(range.headers().get("Content-Encoding"));
        }
    }

    @Test
    void sendsTheLargePartsOfMultipleRangesByTheKernel() throws Exception {
        byte[] bytes = TestFiles.write(directory, "file.bin", 3_000_000);
        SendfileHandler files = files();
        try (TestServer server = server().start(files);
                RawClient client = client(server.port())) {
            for (int i = 0; i < 3; i++) {
                Answer answer = client.send(get("/file.bin", "Range: bytes=0-999999,1500000-1500009,-1000000"))
                        .answer();
                assertEquals(206, answer.status());
                assertEquals(way(), FileSettingsTest.way(answer));
                checkParts(answer, bytes, new int[][] {{0, 1_000_000}, {1_500_000, 1_500_010}, {2_000_000, 3_000_000}});
            }
            assertEquals(byKernel(3), files.getSendfileContentFactory().getTransfers());
            assertEquals(
                    304,
                    client.send(get(
                                    "/file.bin",
                                    "Range: bytes=0-9,20-29",
                                    "If-Modified-Since: Sat, 01 Jan 2095 00:00:00 GMT"))
                            .answer()
                            .status());
            assertEquals(
                    416,
                    client.send(get("/file.bin", "Range: bytes=4000000-,5000000-"))
                            .answer()
                            .status());
            Answer head = client.send(request("HEAD", "/file.bin", "Range: bytes=0-999999,2000000-"))
                    .answer("HEAD");
            assertEquals(206, head.status());
            assertArrayEquals(bytes, client.get("/file.bin").answer().body());
        }
    }

    @Test
    void countsNoRangesOfAHead() throws Exception {
        TestFiles.write(directory, "file.bin", 300_000);
        SendfileHandler files = files();
        String ranges = "Range: bytes=0-99999,150000-249999";
        try (TestServer server = server().start(files);
                RawClient client = client(server.port())) {
            TransferStatistics statistics = server.transfers();
            Answer head = client.send(request("HEAD", "/file.bin", ranges)).answer("HEAD");
            assertEquals(206, head.status());
            assertNull(FileSettingsTest.way(head));
            assertEquals(206, client.send(get("/file.bin", ranges)).answer().status());
            assertEquals(byKernel(2), statistics.getRegions());
            assertEquals(byKernel(1), files.getSendfileContentFactory().getTransfers());
        }
    }

    @Test
    void countsRangesThatAreOneAsOne() throws Exception {
        byte[] bytes = TestFiles.write(directory, "file.bin", 3_000_000);
        SendfileHandler files = files();
        try (TestServer server = server().start(files);
                RawClient client = client(server.port())) {
            Answer answer = client.send(get("/file.bin", "Range: bytes=0-999999,500000-1999999"))
                    .answer();
            assertArrayEquals(Arrays.copyOf(bytes, 2_000_000), answer.body());
            assertEquals("bytes 0-1999999/3000000", answer.headers().get("Content-Range"));
            assertEquals(way(), FileSettingsTest.way(answer));
            assertEquals(byKernel(1), files.getSendfileContentFactory().getTransfers());
        }
    }

    private static void checkParts(Answer answer, byte[] bytes, int[][] ranges) {
        String boundary = answer.headers().get("Content-Type").replaceAll(".*boundary=", "");
        String[] parts = answer.text().split("(\r\n)?--" + java.util.regex.Pattern.quote(boundary) + "(--)?(\r\n)?");
        assertEquals(ranges.length + 1, parts.length);
        for (int i = 0; i < ranges.length; i++) {
            String part = parts[i + 1];
            int body = part.indexOf("\r\n\r\n") + 4;
            assertTrue(part.contains("bytes " + ranges[i][0] + "-" + (ranges[i][1] - 1) + "/" + bytes.length), part);
            assertArrayEquals(
                    Arrays.copyOfRange(bytes, ranges[i][0], ranges[i][1]),
                    part.substring(body).getBytes(StandardCharsets.ISO_8859_1));
        }
    }

    @Test
    void honoursIfRange() throws Exception {
        byte[] bytes = TestFiles.write(directory, "file.bin", 100_000);
        SendfileHandler files = files();
        files.setEtags(true);
        try (TestServer server = server().start(files);
                RawClient client = client(server.port())) {
            Answer whole = client.get("/file.bin").answer();
            String range = "Range: bytes=10-19";
            Answer same = client.send(get(
                            "/file.bin", range, "If-Range: " + whole.headers().get("Last-Modified")))
                    .answer();
            assertEquals(206, same.status());
            assertArrayEquals(Arrays.copyOfRange(bytes, 10, 20), same.body());
            Answer weak = client.send(get(
                            "/file.bin", range, "If-Range: " + whole.headers().get("ETag")))
                    .answer();
            assertEquals(200, weak.status());
            Answer other = client.send(get("/file.bin", range, "If-Range: Mon, 01 Jan 2001 00:00:00 GMT"))
                    .answer();
            assertEquals(200, other.status());
            assertArrayEquals(bytes, other.body());
        }
    }

    private static int statusIfRange(RawClient client, Path file, long second) throws Exception {
        Files.setLastModifiedTime(file, FileTime.from(second, TimeUnit.SECONDS));
        String date = DateGenerator.formatDate(TimeUnit.SECONDS.toMillis(second));
        return client.send(get("/" + file.getFileName(), "Range: bytes=10-19", "If-Range: " + date))
                .answer()
                .status();
    }

    private static long secondNow() {
        return TimeUnit.MILLISECONDS.toSeconds(System.currentTimeMillis());
    }

    /** A file may be written twice in one second: until that is over, a part may be of another version (RFC 9110 section 8.8.2.2). */
    @Test
    void sendsTheWholeWhereADateMayBecomeThatOfAnotherVersion() throws Exception {
        Path file = directory.resolve("file.bin");
        SendfileHandler files = files();
        files.getSettings().setValidMillis(0);
        TestFiles.write(directory, "file.bin", 100_000);
        try (TestServer server = server().start(files);
                RawClient client = client(server.port())) {
            assertEquals(206, statusIfRange(client, file, secondNow() - 1));
            assertEquals(200, statusIfRange(client, file, secondNow() + 60), "of a clock that is ahead");
            long second;
            int status;
            do {
                second = secondNow();
                status = statusIfRange(client, file, second);
            } while (second != secondNow());
            assertEquals(200, status);
        }
    }

    @Test
    void sendsTheWholeToARequestOfTooManyRanges() throws Exception {
        byte[] bytes = TestFiles.write(directory, "file.bin", 100_000);
        try (TestServer server = server().start(files());
                RawClient client = client(server.port())) {
            StringBuilder flood = new StringBuilder("Range: bytes=0-0");
            for (int i = 1; i < 500; i++) {
                flood.append(',').append(2 * i).append('-').append(2 * i);
            }
            Answer answer = client.send(get("/file.bin", flood.toString())).answer();
            assertEquals(200, answer.status());
            assertArrayEquals(bytes, answer.body());
        }
    }

    /** No part of it can be named; a suffix of it is satisfiable (RFC 9110 section 14.1.2). */
    @Test
    void sendsTheWholeOfAnEmptyFile() throws Exception {
        TestFiles.write(directory, "empty.bin", 0);
        try (TestServer server = server().start(files());
                RawClient client = client(server.port())) {
            for (String range : new String[] {"-1", "0-", "0-0,-1"}) {
                Answer answer =
                        client.send(get("/empty.bin", "Range: bytes=" + range)).answer();
                assertEquals(200, answer.status(), range);
                assertEquals(0, answer.body().length);
            }
        }
    }
}
