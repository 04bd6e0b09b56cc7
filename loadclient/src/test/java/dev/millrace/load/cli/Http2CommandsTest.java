package dev.millrace.load.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.load.Http2TestServer;
import dev.millrace.load.TestFiles;
import dev.millrace.load.TestServer;
import dev.millrace.load.report.RunFile;
import dev.millrace.load.run.CellResult;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** All commands, checks and ways to load speak HTTP/2 too. */
@Timeout(60)
class Http2CommandsTest {

    private static final byte[] FILE = TestFiles.content(300_000);

    @TempDir
    private Path folder;

    /** UUIDs, JSON, and a file of which parts can be had. */
    private static final class Application extends Handler.Abstract.NonBlocking {

        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            switch (request.getHttpURI().getPath()) {
                case "/json" -> write(response, "application/json", "{\"status\": \"ok\"}".getBytes(UTF_8), callback);
                case "/generate-uuid" -> write(response, "text/xml", TestServer.uuids(1), callback);
                case "/files/catalog.json" ->
                    write(response, "application/json", TestFiles.catalog("a.bin", FILE), callback);
                case "/files/a.bin" -> part(request.getHeaders().get("Range"), response, callback);
                default -> Response.writeError(request, response, callback, 404);
            }
            return true;
        }

        private static void part(String range, Response response, Callback callback) {
            int first = 0;
            int last = FILE.length - 1;
            if (range != null) {
                String[] ends = range.substring("bytes=".length()).split("-", -1);
                first = ends[0].isEmpty() ? FILE.length - Integer.parseInt(ends[1]) : Integer.parseInt(ends[0]);
                last = ends[0].isEmpty() || ends[1].isEmpty() ? last : Integer.parseInt(ends[1]);
                response.setStatus(206);
                response.getHeaders().put("Content-Range", "bytes " + first + "-" + last + "/" + FILE.length);
            }
            response.getHeaders().put("ETag", "\"v1\"");
            write(response, "application/octet-stream", Arrays.copyOfRange(FILE, first, last + 1), callback);
        }

        private static void write(Response response, String type, byte[] body, Callback callback) {
            response.getHeaders().put("Content-Type", type);
            response.getHeaders().put("Content-Length", body.length);
            response.write(true, ByteBuffer.wrap(body), callback);
        }
    }

    private CellResult run(int expectedCode, String command, String path, String... options) throws Exception {
        try (Http2TestServer server = Http2TestServer.clear(new Application(), 128)) {
            List<String> all = new ArrayList<>(List.of(command, "-c=1", "--warmup=0s", "-q"));
            all.addAll(List.of("--protocol=h2c", "-o", folder.toString()));
            all.addAll(List.of(options));
            // Each failure in a row is followed by a pause twice as long.
            all.add(expectedCode == ExitCode.GOOD ? "-n=10" : "-n=2");
            all.add(server.url(path));
            Cli cli = Cli.run(all.toArray(String[]::new));
            assertEquals(expectedCode, cli.code(), cli.err());
            return RunFile.read(folder.resolve("run.json")).cells().get(0);
        }
    }

    private CellResult good(String command, String path, String... options) throws Exception {
        CellResult cell = run(ExitCode.GOOD, command, path, options);
        assertEquals(10, cell.counts().requests());
        return cell;
    }

    private void wrongContent(String path, String expectation) throws Exception {
        CellResult cell = run(ExitCode.ERRORS, "http", path, expectation);
        assertEquals(
                Set.of("wrong content"), cell.errors().keySet(), cell.errors().toString());
    }

    @Test
    void commandsWithSeveralStreams() throws Exception {
        good("uuid", "/generate-uuid", "--streams=2");
        assertEquals(
                10L * FILE.length,
                good("download", "/files/", "--streams=3").counts().bytes());
    }

    @Test
    void documentsAreChecked() throws Exception {
        for (String streams : List.of("--streams=1", "--streams=4")) {
            good("http", "/json", "--expect-json=/status=ok", streams);
            good("http", "/generate-uuid", "--expect-xpath=count(//uuid)=1", streams);
        }
        wrongContent("/json", "--expect-json=/status=down");
        wrongContent("/generate-uuid", "--expect-xpath=count(//uuid)=2");
    }

    /** A check that was left out would take any answer for right. */
    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void wrongAnswersAreErrorsOfTheirKind(int streams) throws Exception {
        String several = "--streams=" + streams;
        wrong("status", "http", "/none", several);
        wrong("wrong header", "http", "/json", several, "--expect-header=Content-Type=text/plain");
        wrong("wrong digest", "http", "/json", several, "--expect-body-sha256=" + "0".repeat(64));
        wrong("wrong header", "uuid", "/json", several);
        wrong("wrong content", "uuid", "/generate-uuid", several, "--count=2");
        byte[] other = FILE.clone();
        other[FILE.length / 2]++;
        Path catalog = Files.write(folder.resolve("other.json"), TestFiles.catalog("a.bin", other));
        wrong("wrong digest", "download", "/files/", several, "--catalog=" + catalog);
    }

    private void wrong(String kind, String command, String path, String... options) throws Exception {
        CellResult cell = run(ExitCode.ERRORS, command, path, options);
        assertEquals(Set.of(kind), cell.errors().keySet(), cell.errors().toString());
        assertEquals(2, cell.errors().get(kind).count());
    }

    @Test
    void partsOfFilesAreDownloaded() throws Exception {
        long bytes = good("download", "/files/", "--range=10k").counts().bytes();
        assertTrue(bytes > 0 && bytes <= 10 * 10_240, bytes + " bytes of ranges");
        CellResult resumed = good("download", "/files/", "--resume");
        assertEquals("on", resumed.parameters().get("resume"));
        assertTrue(resumed.counts().connections() >= 10, "one anew for each second part");
    }

    @Test
    void downloadsCanBeSlow() throws Exception {
        CellResult cell = good("download", "/files/", "--limit-rate=10M");
        assertNotNull(cell.times().lateness(), "of the last bytes, in a download that is throttled");
        assertEquals(10L * FILE.length, cell.counts().bytes());
    }

    @Test
    void requestsCanGoByTheClock() throws Exception {
        CellResult cell = good("http", "/json", "--rate=20");
        assertEquals("open", cell.model());
        assertNotNull(cell.times().raw());
    }
}
