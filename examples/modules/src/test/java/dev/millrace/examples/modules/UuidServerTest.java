package dev.millrace.examples.modules;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.connector.BioConnector;
import dev.millrace.connector.MillraceConnector;
import dev.millrace.connector.NioConnector;
import dev.millrace.transfer.TransferStatistics;
import dev.millrace.uuid.UuidServlet;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor.Exports;
import java.lang.reflect.Constructor;
import java.lang.reflect.InaccessibleObjectException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.eclipse.jetty.server.Server;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The connectors and the UUID service as named modules: they work, and export what users name and nothing else. */
class UuidServerTest {
    private static final int FILE_BYTES = 1_000_000;

    @TempDir
    Path directory;

    private void serves(Function<Server, MillraceConnector> connectors) throws Exception {
        byte[] file = new byte[FILE_BYTES];
        new Random(1).nextBytes(file);
        Files.write(directory.resolve("file.bin"), file);
        Server server = new Server();
        UuidServer.serve(server, directory);
        MillraceConnector connector = connectors.apply(server);
        server.addConnector(connector);
        server.start();
        try {
            String base = "http://127.0.0.1:" + connector.getLocalPort();
            String xml = new String(get(base + "/generate-uuid?count=2"), StandardCharsets.UTF_8);
            assertTrue(xml.matches("(?s).*<response>(<uuid>[0-9a-f-]{36}</uuid>){2}</response>"), xml);
            assertArrayEquals(file, get(base + "/file.bin"));
            awaitTransferred(connector.getTransferStatistics());
        } finally {
            server.stop();
        }
    }

    /** Waits for the count of what the kernel has sent: a client has an answer's last byte before the server has counted it. */
    private static void awaitTransferred(TransferStatistics statistics) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (statistics.getTransferredBytes() < FILE_BYTES && System.nanoTime() < end) {
            Thread.yield();
        }
        assertEquals(FILE_BYTES, statistics.getTransferredBytes(), "sent by the kernel");
    }

    private static byte[] get(String url) throws Exception {
        try (InputStream body = new URL(url).openStream()) {
            return body.readAllBytes();
        }
    }

    @Test
    void aNamedModuleServesByASelector() throws Exception {
        assertEquals(
                "dev.millrace.examples.modules", UuidServer.class.getModule().getName());
        serves(NioConnector::new);
    }

    @Test
    void aNamedModuleServesByBlockingThreads() throws Exception {
        serves(BioConnector::new);
    }

    @Test
    void theConnectorsExportWhatUsersName() {
        assertExports(
                MillraceConnector.class.getModule(),
                "dev.millrace.connector",
                Set.of(
                        "dev.millrace.connector",
                        "dev.millrace.files",
                        "dev.millrace.metrics",
                        "dev.millrace.monitor",
                        "dev.millrace.transfer",
                        "dev.millrace.xsendfile"));
    }

    @Test
    void theServiceExportsItsPackageOnly() {
        assertExports(UuidServlet.class.getModule(), "dev.millrace.uuid", Set.of("dev.millrace.uuid"));
    }

    private static void assertExports(Module module, String name, Set<String> packages) {
        assertEquals(name, module.getName());
        assertEquals(
                packages,
                module.getDescriptor().exports().stream().map(Exports::toString).collect(Collectors.toSet()));
        assertTrue(module.getDescriptor().opens().isEmpty());
    }

    @Test
    void internalTypesStayClosed() throws Exception {
        Constructor<?> constructor = Class.forName(UuidServlet.class.getModule(), "dev.millrace.uuid.UuidService")
                .getDeclaredConstructor(int.class);
        assertThrows(IllegalAccessException.class, () -> constructor.newInstance(1));
        assertThrows(InaccessibleObjectException.class, () -> constructor.setAccessible(true));
    }
}
