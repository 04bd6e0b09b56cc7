package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.RawClient.Answer;
import dev.millrace.testing.ServedFiles;
import dev.millrace.testing.ServerProcess;
import dev.millrace.testing.TestFiles;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A Java runtime that has no more modules than Jetty needs: everything is served, by a copy where it must be. */
@EnabledOnOs(OS.LINUX)
@Timeout(120)
class ReducedRuntimeTest {
    /** What Jetty needs of the JDK: its resources and its log are MBeans. */
    private static final String MODULES = "java.naming,java.management";

    private static final String UNSUPPORTED = "jdk.unsupported";
    private static final String FLIGHT_RECORDER = "jdk.jfr";
    private static final int[] SIZES = {0, 1, 13, 808, 16_383, 16_384, 65_536, 65_537, 1_000_000, 5_000_000};
    private static final int LARGE = 1_000_000;

    @TempDir
    Path directory;

    private final Map<String, byte[]> contents = new TreeMap<>();
    private boolean canUnmap;

    @BeforeEach
    void writeFiles() throws Exception {
        for (int size : SIZES) {
            contents.put(size + ".bin", TestFiles.write(directory, size + ".bin", size));
        }
    }

    private void assertWay(Connectors connectors, int bytes, Answer answer) {
        String expected = bytes < 16 * 1024
                ? Obstacle.SMALL.name()
                : connectors == Connectors.STOCK
                        ? Obstacle.END_POINT.name()
                        : !canUnmap ? Obstacle.UNMAPPED.name() : bytes <= 64 * 1024 ? Obstacle.GATHERED.name() : "yes";
        assertEquals(
                expected, answer.headers().get(SendfileSettings.DEBUG_HEADER), connectors + ", " + bytes + " bytes");
    }

    private static RawClient ask(RawClient client, String name, String range) throws Exception {
        return client.send("GET /0/" + name + " HTTP/1.1\r\nHost: localhost\r\nRange: " + range + "\r\n\r\n");
    }

    private void assertServes(Connectors connectors, int port) throws Exception {
        try (RawClient client = new RawClient(port)) {
            assertEquals(ServedFiles.HELLO, client.get("/hello").answer().text());
            for (Map.Entry<String, byte[]> file : contents.entrySet()) {
                Answer answer = client.get("/0/" + file.getKey()).answer();
                assertEquals(200, answer.status(), file.getKey());
                assertArrayEquals(file.getValue(), answer.body(), file.getKey());
                if (file.getValue().length > 0) {
                    assertWay(connectors, file.getValue().length, answer);
                }
            }
            assertServesRanges(connectors, client);
            assertEquals(404, client.get("/0/missing.bin").answer().status());
            assertEquals(ServedFiles.HELLO, client.get("/hello").answer().text());
        }
    }

    private void assertServesRanges(Connectors connectors, RawClient client) throws Exception {
        byte[] whole = contents.get(LARGE + ".bin");
        Answer small = ask(client, LARGE + ".bin", "bytes=1-20").answer();
        assertEquals(206, small.status());
        assertArrayEquals(Arrays.copyOfRange(whole, 1, 21), small.body());
        Answer large = ask(client, LARGE + ".bin", "bytes=-900000").answer();
        assertEquals(206, large.status());
        assertArrayEquals(Arrays.copyOfRange(whole, 100_000, LARGE), large.body());
        assertWay(connectors, 900_000, large);
        Answer parts = ask(client, LARGE + ".bin", "bytes=0-99,500000-599999").answer();
        assertEquals(206, parts.status());
        assertTrue(parts.text().contains(new String(whole, 500_000, 100_000, StandardCharsets.ISO_8859_1)));
        assertEquals(416, ask(client, LARGE + ".bin", "bytes=2000000-").answer().status());
    }

    private void assertServes(Path javaHome, List<String> options, String modules) throws Exception {
        canUnmap = Runtime.version().feature() >= 22 || modules.contains(UNSUPPORTED);
        try (ServerProcess server = new ServerProcess(List.of(), javaHome, options, directory)) {
            for (Connectors connectors : Connectors.all().toList()) {
                assertServes(connectors, server.port(connectors));
            }
            for (String name : contents.keySet()) {
                Files.delete(directory.resolve(name));
            }
            Await.until(
                    "all files are given back",
                    () -> server.descriptors(directory) == 0,
                    () -> server.log().toString());
            server.stop();
            assertWarns(server.log(), !canUnmap, UNSUPPORTED);
            assertWarns(server.log(), !modules.contains(FLIGHT_RECORDER), FLIGHT_RECORDER);
        }
    }

    private static void assertWarns(List<String> log, boolean expected, String module) {
        assertEquals(
                expected ? 1 : 0,
                log.stream()
                        .filter(line -> line.contains(":WARN") && line.contains(module))
                        .count(),
                () -> String.join("\n", log));
    }

    private void assertServesWith(String modules) throws Exception {
        assertServes(Path.of(System.getProperty("java.home")), List.of("--limit-modules", modules), modules);
    }

    @Test
    void hasNoUnsupported() throws Exception {
        assertServesWith(MODULES + "," + FLIGHT_RECORDER);
    }

    @Test
    void hasNoFlightRecorder() throws Exception {
        assertServesWith(MODULES + "," + UNSUPPORTED);
    }

    @Test
    @Timeout(300)
    void isAnImageOfTheLeast(@TempDir Path parent) throws Exception {
        ToolProvider jlink = ToolProvider.findFirst("jlink").orElse(null);
        assumeTrue(jlink != null, "no jlink in this JDK");
        Path image = parent.resolve("image");
        StringWriter said = new StringWriter();
        int status = jlink.run(
                new PrintWriter(said),
                new PrintWriter(said),
                "--add-modules",
                MODULES,
                "--strip-debug",
                "--output",
                image.toString());
        assertEquals(0, status, said::toString);
        assertServes(image, List.of(), MODULES);
    }
}
