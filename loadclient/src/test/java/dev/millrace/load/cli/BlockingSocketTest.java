package dev.millrace.load.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.load.Http2FrameServer;
import dev.millrace.load.TestCertificate;
import dev.millrace.load.TestServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * A client's socket blocks: a read that waits is one read(2). Behind a bound of the JDK's it would be a read in vain, a
 * poll(2) and another read.
 */
@EnabledOnOs(OS.LINUX)
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class BlockingSocketTest {

    private static final int O_NONBLOCK = 04000;
    private static final String ESTABLISHED = "01";
    /** The third request is none of those that look at a server before the run. */
    private static final int REQUESTS = 5;

    /** Flags of client sockets while one of them waits for its answer. */
    private final Set<String> seen = ConcurrentHashMap.newKeySet();

    private final AtomicInteger requests = new AtomicInteger();

    @TempDir
    private Path folder;

    /** Called in the server's thread with each request, for one client. */
    private void look(String url) throws IOException {
        if (requests.incrementAndGet() > 2) {
            String port = String.format(":%04X", URI.create(url).getPort());
            for (String table : List.of("tcp", "tcp6")) {
                Path connections = Path.of("/proc/self/net", table);
                if (Files.exists(connections)) {
                    look(connections, port);
                }
            }
        }
    }

    private void look(Path connections, String remotePort) throws IOException {
        try (Stream<String> lines = Files.lines(connections)) {
            lines.map(line -> line.strip().split(" +"))
                    .filter(fields -> fields[2].endsWith(remotePort) && fields[3].equals(ESTABLISHED))
                    .forEach(fields -> seen.add(blocking(fields[9])));
        }
    }

    /** @param inode of a socket of this process */
    private static String blocking(String inode) {
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            for (Path descriptor : (Iterable<Path>) descriptors::iterator) {
                if (isSocket(descriptor, inode)) {
                    String flags = Files.readAllLines(
                                    Path.of("/proc/self/fdinfo").resolve(descriptor.getFileName()))
                            .get(1)
                            .replaceFirst("flags:\\s*", "");
                    return (Integer.parseInt(flags, 8) & O_NONBLOCK) == 0 ? "blocks" : "does not block";
                }
            }
        } catch (IOException e) {
            return e.toString();
        }
        return "no descriptor of " + inode;
    }

    private static boolean isSocket(Path descriptor, String inode) throws IOException {
        try {
            return Files.readSymbolicLink(descriptor).toString().equals("socket:[" + inode + "]");
        } catch (NoSuchFileException closed) {
            return false;
        }
    }

    private void run(String url, String... options) {
        Cli cli = Cli.run(Stream.concat(
                        Stream.of("http", "-q", "-c1", "-n" + REQUESTS, "--warmup=0s", "-o=" + folder, url),
                        Stream.of(options))
                .toArray(String[]::new));
        assertEquals(ExitCode.GOOD, cli.code(), cli.out() + cli.err());
        assertEquals(Set.of("blocks"), seen);
    }

    private TestServer.Behaviour looking(TestServer[] server) {
        return (TestServer.Request request, OutputStream out, Socket socket) -> {
            look(server[0].url("/"));
            TestServer.send(out, "200 OK", "text/plain", "hello".getBytes(US_ASCII));
        };
    }

    @Test
    void inClearText() throws IOException {
        TestServer[] self = new TestServer[1];
        try (TestServer server = new TestServer(looking(self))) {
            self[0] = server;
            run(server.url("/"));
        }
    }

    @Test
    void underTls() throws IOException {
        TestServer[] self = new TestServer[1];
        TestCertificate certificate = new TestCertificate(folder.resolve("keys"), "ip:127.0.0.1");
        try (TestServer server = new TestServer(certificate.context(), looking(self))) {
            self[0] = server;
            run(server.url("/"), "--insecure");
        }
    }

    @Test
    void withHttp2() throws IOException {
        Http2FrameServer[] self = new Http2FrameServer[1];
        try (Http2FrameServer server = new Http2FrameServer((peer, number) -> {
            peer.begin();
            while (true) {
                Http2FrameServer.Frame frame = peer.await(Http2FrameServer.HEADERS);
                look(self[0].url());
                peer.hello(frame.stream());
            }
        })) {
            self[0] = server;
            run(server.url(), "--protocol=h2c");
        }
    }
}
