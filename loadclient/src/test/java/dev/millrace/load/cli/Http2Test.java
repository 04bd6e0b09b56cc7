package dev.millrace.load.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.load.Http2TestServer;
import dev.millrace.load.TestCertificate;
import dev.millrace.load.TestFiles;
import dev.millrace.load.TestServer;
import dev.millrace.load.report.RunFile;
import dev.millrace.load.run.CellResult;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.eclipse.jetty.http2.ErrorCode;
import org.eclipse.jetty.http2.api.Session;
import org.eclipse.jetty.http2.api.server.ServerSessionListener;
import org.eclipse.jetty.http2.frames.GoAwayFrame;
import org.eclipse.jetty.http2.frames.HeadersFrame;
import org.eclipse.jetty.http2.frames.ResetFrame;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** HTTP/2 against Jetty: by ALPN and by prior knowledge, one request at a time and several, right answers and faults. */
class Http2Test {

    private static final byte[] FILE = TestFiles.content(300_000);

    @TempDir
    private Path folder;

    /** The application of the test. */
    private static final class Application extends Handler.Abstract.NonBlocking {

        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            switch (request.getHttpURI().getPath()) {
                case "/hello" -> write(response, "text/plain", "hello".getBytes(UTF_8), callback);
                case "/none" -> {
                    response.setStatus(204);
                    callback.succeeded();
                }
                case "/echo" -> Content.copy(request, response, callback);
                case "/fields" -> {
                    response.getHeaders().put("X-Long", request.getHeaders().get("X-Long"));
                    write(response, "text/plain", "hello".getBytes(UTF_8), callback);
                }
                case "/stuck" -> {
                    return true;
                }
                default -> Response.writeError(request, response, callback, 404);
            }
            return true;
        }

        private static void write(Response response, String type, byte[] body, Callback callback) {
            response.getHeaders().put("Content-Type", type);
            response.getHeaders().put("Content-Length", body.length);
            response.write(true, ByteBuffer.wrap(body), callback);
        }
    }

    private Cli run(String command, String url, String... options) {
        List<String> all = new ArrayList<>(List.of(command, "--warmup=0s", "-q", "-o", folder.toString()));
        all.addAll(List.of(options));
        if (all.stream().noneMatch(option -> option.startsWith("--protocol"))) {
            all.add("--protocol=h2c");
        }
        all.add(url);
        return Cli.run(all.toArray(String[]::new));
    }

    private CellResult cell() throws IOException {
        return RunFile.read(folder.resolve("run.json")).cells().get(0);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 8})
    void requestsShareAConnection(int streams) throws Exception {
        // The first client might have sent all requests before the second one has a thread.
        Set<String> connections = ConcurrentHashMap.newKeySet();
        CountDownLatch both = new CountDownLatch(1);
        Handler waiting = new Handler.Wrapper(new Application()) {
            @Override
            public boolean handle(Request request, Response response, Callback callback) throws Exception {
                connections.add(request.getConnectionMetaData().getId());
                if (connections.size() == 2) {
                    both.countDown();
                }
                assertTrue(both.await(20, TimeUnit.SECONDS));
                return super.handle(request, response, callback);
            }

            @Override
            public InvocationType getInvocationType() {
                return InvocationType.BLOCKING;
            }
        };
        try (Http2TestServer server = Http2TestServer.clear(waiting, 128)) {
            Cli cli = run("http", server.url("/hello"), "-c=2", "-n=500", "--streams=" + streams);
            assertEquals(ExitCode.GOOD, cli.code(), cli.err());
            assertEquals(500, cell().counts().requests());
            assertEquals(2500, cell().counts().bytes());
            assertEquals(2, cell().counts().connections());
            assertEquals(500, cell().times().latency().count());
            assertTrue(cli.out().startsWith("c=2 h2c m=" + streams + " GET ka=on /hello |"), cli.out());
        }
    }

    /** The stream's number needs its third byte then. */
    @Test
    void aConnectionServesMoreThanThirtyTwoThousandRequests() throws Exception {
        try (Http2TestServer server = Http2TestServer.clear(new Application(), 128)) {
            Cli cli = run("http", server.url("/hello"), "-c=1", "-n=33000", "--streams=32");
            assertEquals(ExitCode.GOOD, cli.code(), cli.err());
            assertEquals(33_000, cell().counts().requests());
            assertEquals(1, cell().counts().connections());
        }
    }

    @Test
    void severalRequestsAreUnderWayAtOnce() throws Exception {
        CyclicBarrier eight = new CyclicBarrier(8);
        Handler handler = new Handler.Abstract() {
            @Override
            public boolean handle(Request request, Response response, Callback callback) throws Exception {
                eight.await(20, TimeUnit.SECONDS);
                callback.succeeded();
                return true;
            }
        };
        try (Http2TestServer server = Http2TestServer.clear(handler, 128)) {
            Cli cli = run("http", server.url("/"), "-c=1", "-n=16", "--streams=8");
            assertEquals(ExitCode.GOOD, cli.code(), cli.err());
            assertEquals(16, cell().counts().requests());
            assertEquals(1, cell().counts().connections());
        }
    }

    @Test
    void theServersBoundOnStreamsIsKeptAndNoted() throws Exception {
        AtomicInteger busy = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        Handler handler = new Handler.Abstract() {
            @Override
            public boolean handle(Request request, Response response, Callback callback) {
                most.accumulateAndGet(busy.incrementAndGet(), Math::max);
                busy.decrementAndGet();
                callback.succeeded();
                return true;
            }
        };
        try (Http2TestServer server = Http2TestServer.clear(handler, 3)) {
            Cli cli = run("http", server.url("/"), "-c=1", "-n=300", "--streams=50");
            assertEquals(ExitCode.GOOD, cli.code(), cli.err());
            assertEquals(300, cell().counts().requests());
            assertTrue(
                    cell().notes().contains("the server allows 3 streams on a connection"),
                    cell().notes().toString());
            assertTrue(most.get() <= 3, most + " at once");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void largeBodiesPassTheWindows(int streams) throws Exception {
        Path body = Files.write(folder.resolve("body"), FILE);
        String sha256 =
                HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(FILE));
        try (Http2TestServer server = Http2TestServer.clear(new Application(), 128)) {
            Cli cli = run(
                    "http",
                    server.url("/echo"),
                    "-c=1",
                    "-n=20",
                    "--timeout=20s",
                    "--streams=" + streams,
                    "--body-file=" + body,
                    "--expect-body-sha256=" + sha256);
            assertEquals(ExitCode.GOOD, cli.code(), cli.err());
            assertEquals(20L * FILE.length, cell().counts().bytes());
        }
    }

    @Test
    void longFieldsGoOnInContinuation() throws Exception {
        String value = "x".repeat(30_000);
        try (Http2TestServer server = Http2TestServer.clear(new Application(), 128)) {
            Cli cli = run(
                    "http",
                    server.url("/fields"),
                    "-c=1",
                    "-n=3",
                    "-H=X-Long: " + value,
                    "--expect-header=X-Long=" + value);
            assertEquals(ExitCode.GOOD, cli.code(), cli.err());
        }
    }

    @Test
    void answersWithoutABodyEnd() throws Exception {
        try (Http2TestServer server = Http2TestServer.clear(new Application(), 128)) {
            assertEquals(
                    ExitCode.GOOD,
                    run("http", server.url("/none"), "-n=5", "--streams=2", "--expect-status=204")
                            .code());
            assertEquals(
                    ExitCode.GOOD,
                    run("http", server.url("/hello"), "-n=5", "-m=HEAD").code());
        }
    }

    @Test
    void withoutKeepAliveEachRequestHasAConnection() throws Exception {
        try (Http2TestServer server = Http2TestServer.clear(new Application(), 128)) {
            Cli cli = run("http", server.url("/hello"), "-c=1", "-n=5", "--keepalive=off");
            assertEquals(ExitCode.GOOD, cli.code(), cli.err());
            assertEquals(5, cell().counts().connections());
        }
    }

    @Test
    void alpnAgreesOnIt() throws Exception {
        TestCertificate certificate = new TestCertificate(folder.resolve("key"), "ip:127.0.0.1");
        try (Http2TestServer server = Http2TestServer.secure(certificate.context(), new Application())) {
            Cli cli = run(
                    "http",
                    server.url("/hello"),
                    "--protocol=http2",
                    "-c=1",
                    "-n=100",
                    "--streams=4",
                    "--cacert=" + certificate.pem());
            assertEquals(ExitCode.GOOD, cli.code(), cli.err());
            assertEquals(100, cell().counts().requests());
            assertTrue(
                    cell().tls().version().startsWith("TLSv1.3"), cell().tls().version());
            assertTrue(cli.out().startsWith("c=1 h2 m=4 GET"), cli.out());
        }
    }

    @Test
    void aServerThatDoesNotSpeakItIsOneLine() throws Exception {
        TestCertificate certificate = new TestCertificate(folder.resolve("key"), "ip:127.0.0.1");
        TestServer.Behaviour refusal =
                (request, out, socket) -> TestServer.send(out, "400 Bad Request", "text/plain", new byte[0]);
        try (TestServer clear = new TestServer(refusal);
                TestServer secure = new TestServer(certificate.context(), refusal)) {
            Cli cli = run("http", clear.url("/"), "--timeout=5s");
            assertEquals(ExitCode.ERRORS, cli.code());
            assertEquals(1, cli.err().lines().count(), cli.err());
            assertTrue(cli.err().contains("the server does not speak HTTP/2"), cli.err());
            cli = run("http", secure.url("/"), "--protocol=h2", "--insecure");
            assertEquals(ExitCode.ERRORS, cli.code());
            assertEquals(1, cli.err().lines().count(), cli.err());
            assertTrue(cli.err().contains("the server does not agree on h2 by ALPN"), cli.err());
        }
    }

    static Stream<Arguments> faults() {
        return Stream.of(
                Arguments.of("stream reset", "RST_STREAM INTERNAL_ERROR", reset(ErrorCode.INTERNAL_ERROR)),
                Arguments.of("refused stream", "RST_STREAM REFUSED_STREAM", reset(ErrorCode.REFUSED_STREAM_ERROR)),
                Arguments.of("goaway", "GOAWAY ENHANCE_YOUR_CALM: enough", new ServerSessionListener() {
                    @Override
                    public org.eclipse.jetty.http2.api.Stream.Listener onNewStream(
                            org.eclipse.jetty.http2.api.Stream stream, HeadersFrame frame) {
                        ((org.eclipse.jetty.http2.HTTP2Session) stream.getSession())
                                .goAway(
                                        new GoAwayFrame(
                                                0, ErrorCode.ENHANCE_YOUR_CALM_ERROR.code, "enough".getBytes(UTF_8)),
                                        Callback.NOOP);
                        return null;
                    }
                }),
                Arguments.of("reset", "closed before the answer", new ServerSessionListener() {
                    @Override
                    public org.eclipse.jetty.http2.api.Stream.Listener onNewStream(
                            org.eclipse.jetty.http2.api.Stream stream, HeadersFrame frame) {
                        ((org.eclipse.jetty.http2.HTTP2Session) stream.getSession())
                                .getEndPoint()
                                .close();
                        return null;
                    }
                }));
    }

    private static ServerSessionListener reset(ErrorCode code) {
        return new ServerSessionListener() {
            @Override
            public Map<Integer, Integer> onPreface(Session session) {
                return Map.of();
            }

            @Override
            public org.eclipse.jetty.http2.api.Stream.Listener onNewStream(
                    org.eclipse.jetty.http2.api.Stream stream, HeadersFrame frame) {
                stream.reset(new ResetFrame(stream.getId(), code.code), Callback.NOOP);
                return null;
            }
        };
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("faults")
    void faultsAreCountedByKind(String kind, String detail, ServerSessionListener listener) throws Exception {
        for (int streams : new int[] {1, 2}) {
            try (Http2TestServer server = Http2TestServer.raw(listener)) {
                Cli cli = run("http", server.url("/"), "-c=1", "-n=4", "--timeout=20s", "--streams=" + streams);
                assertEquals(ExitCode.ERRORS, cli.code(), cli.err());
                assertEquals(
                        Set.of(kind), cell().errors().keySet(), cell().errors().toString());
                assertEquals(4, cell().errors().get(kind).count());
                assertTrue(
                        cell().errors().get(kind).first().contains(detail),
                        cell().errors().get(kind).first());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    @Execution(ExecutionMode.CONCURRENT)
    void anAnswerThatDoesNotComeIsATimeout(int streams) throws Exception {
        try (Http2TestServer server = Http2TestServer.clear(new Application(), 128)) {
            Cli cli = run("http", server.url("/stuck"), "-c=1", "-n=2", "--timeout=2500ms", "--streams=" + streams);
            assertEquals(ExitCode.ERRORS, cli.code(), cli.err());
            assertEquals(Set.of("timeout"), cell().errors().keySet());
            assertEquals(2, cell().errors().get("timeout").count());
            assertEquals(
                    "no whole answer within 2500 ms, 0 body bytes came",
                    cell().errors().get("timeout").first());
        }
    }

    @Test
    void wrongCombinationsAreNamed() {
        assertUsage("--streams is for --protocol=h2 and h2c", "http://127.0.0.1:9/", "--streams=2", "--protocol=http1");
        assertUsage("--protocol=h2 takes https URLs", "http://127.0.0.1:9/", "--protocol=h2");
        assertUsage("--protocol=h2c takes http URLs", "https://127.0.0.1:9/", "--protocol=h2c");
        assertUsage("--rate takes --streams=1", "http://127.0.0.1:9/", "--streams=2", "-R=10");
        assertUsage("--keepalive=off takes --streams=1", "http://127.0.0.1:9/", "--streams=2", "--keepalive=off");
        assertUsage("'http3' is not http1, h2 or h2c", "http://127.0.0.1:9/", "--protocol=http3");
        assertUsage("--streams must be above 0", "http://127.0.0.1:9/", "--streams=0");
    }

    private void assertUsage(String message, String url, String... options) {
        Cli cli = run("http", url, options);
        assertEquals(ExitCode.USAGE, cli.code(), cli.err());
        assertTrue(cli.err().contains(message), cli.err());
    }
}
