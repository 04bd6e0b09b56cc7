package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.RawClient.Answer;
import dev.millrace.testing.ServedFiles;
import dev.millrace.testing.ServerProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A process that may have few descriptors: the files that are kept open leave enough of them for connections. */
@EnabledOnOs(OS.LINUX)
@Timeout(120)
class ScarceDescriptorsTest {
    private static final int CLIENTS = 100;
    private static final byte[] CONTENT = "as good as any other".getBytes(StandardCharsets.UTF_8);

    @TempDir
    Path directory;

    private Path mount(String name, int files) throws IOException {
        Path mount = Files.createDirectory(directory.resolve(name));
        for (int i = 0; i < files; i++) {
            Files.write(mount.resolve(i + ".txt"), CONTENT);
        }
        return mount;
    }

    private static ServerProcess start(int descriptors, Path... mounts) throws IOException {
        return new ServerProcess(
                List.of("sh", "-c", "ulimit -n " + descriptors + " && exec \"$@\"", "sh"),
                Path.of(System.getProperty("java.home")),
                List.of(),
                mounts);
    }

    private static void assertServes(RawClient client, int mount, int files) throws Exception {
        for (int i = 0; i < files; i++) {
            Answer answer = client.get("/" + mount + "/" + i + ".txt").answer();
            assertEquals(200, answer.status(), "file " + i);
            assertArrayEquals(CONTENT, answer.body());
        }
    }

    @ParameterizedTest
    @MethodSource("dev.millrace.testing.Connectors#all")
    void areEnoughForConnections(Connectors connectors) throws Exception {
        int files = 1100;
        Path first = mount("first", files);
        Path second = mount("second", files);
        try (ServerProcess server = start(1024, first, second)) {
            try (RawClient client = new RawClient(server.port(connectors))) {
                assertServes(client, 0, files);
                assertServes(client, 1, files);
            }
            Await.until("a quarter for files", () -> server.descriptors(directory) <= 1024 / 4);
            List<RawClient> clients = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(new RawClient(server.port(connectors)).get("/1/" + i + ".txt"));
            }
            for (RawClient client : clients) {
                assertArrayEquals(CONTENT, client.answer().body());
            }
            for (RawClient client : clients) {
                client.close();
            }
            assertEquals(List.of(), server.log());
        }
    }

    @ParameterizedTest
    @MethodSource("dev.millrace.testing.Connectors#ours")
    @Execution(ExecutionMode.CONCURRENT)
    void areTakenFromFilesWhenOneIsRefused(Connectors connectors) throws Exception {
        int files = 64;
        int more = 5;
        Path mount = mount("mount", files + more);
        try (ServerProcess server = start(512, mount);
                RawClient client = new RawClient(server.port(connectors))) {
            assertServes(client, 0, files);
            assertEquals(ServedFiles.HELLO, client.get("/hello").answer().text());
            assertEquals(files, server.descriptors(directory));
            // Something else may give one back meanwhile: the loading of a class, for example.
            for (int i = files; i < files + more && server.descriptors(directory) >= files; i++) {
                assertEquals(200, client.get("/exhaust").answer().status());
                assertArrayEquals(
                        CONTENT, client.get("/0/" + i + ".txt").answer().body());
            }
            assertTrue(server.descriptors(directory) < files, "given up");
            assertEquals(200, client.get("/exhaust").answer().status());
            long kept = server.descriptors(directory);
            List<RawClient> late = new ArrayList<>();
            // An acceptor that waits in the system call has its descriptor already.
            for (int i = 0; i < 3; i++) {
                late.add(new RawClient(server.port(connectors)).get("/hello"));
            }
            for (RawClient each : late) {
                assertEquals(ServedFiles.HELLO, each.answer().text());
            }
            for (RawClient each : late) {
                each.close();
            }
            Await.until("given up for connections", () -> server.descriptors(directory) < kept);
            Await.until("logged", () -> server.log().size() >= 2);
            List<String> log = server.log();
            assertTrue(log.stream().allMatch(line -> line.contains("No descriptor")), () -> String.join("\n", log));
        }
    }

    /** Nor is there HTTP/2, whose classes could have been loaded before. */
    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void areNotNeededToLookAtConnections() throws Exception {
        try (ServerProcess server = start(512, mount("mount", 1));
                RawClient client = new RawClient(server.port(Connectors.NIO))) {
            assertEquals(200, client.get("/exhaust?looks").answer().status());
            assertEquals(List.of(), server.log());
        }
    }
}
