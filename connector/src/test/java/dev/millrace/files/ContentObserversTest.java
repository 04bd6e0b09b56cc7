package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.ee11.SendfileServlet;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Http2Frames;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.RawClient.Answer;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.MetaData;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpStream;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.handler.EventsHandler;
import org.eclipse.jetty.server.handler.GracefulHandler;
import org.eclipse.jetty.server.handler.LatencyRecordingHandler;
import org.eclipse.jetty.server.handler.MinimumDataRateHandler;
import org.eclipse.jetty.server.handler.StatisticsHandler;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A layer that looks at what is written gets copies of it. A layer that only might look does not cost anybody the
 * kernel's way.
 */
class ContentObserversTest {
    @TempDir
    Path directory;

    private final SendfileHandler files = new SendfileHandler();
    private final AtomicInteger calls = new AtomicInteger();
    private byte[] bytes;

    @BeforeEach
    void write() throws Exception {
        bytes = TestFiles.write(directory, "file.bin", 300_000);
        files.setBaseResourceAsString(directory.toString());
        files.getSettings().setDebugHeader(true);
    }

    private void assertWay(String way, Handler handler) throws Exception {
        try (TestServer server = new TestServer(Connectors.NIO::http).start(handler);
                RawClient client = server.client()) {
            Answer answer = client.get("/file.bin").answer();
            assertArrayEquals(bytes, answer.body());
            assertEquals(way, answer.headers().get(SendfileSettings.DEBUG_HEADER));
            assertEquals(
                    "SHOWN".equals(way) ? 1 : 0,
                    files.getSendfileContentFactory().getObstacles().get("SHOWN"));
        }
    }

    @Test
    void areNotJettysOwnHandlers() throws Exception {
        assertWay("yes", new StatisticsHandler(files));
        assertWay("yes", new MinimumDataRateHandler(files, 0, 1));
        assertWay("yes", new GracefulHandler(new StatisticsHandler(files)));
        assertWay("yes", new LatencyRecordingHandler(files) {
            @Override
            protected void onRequestComplete(String requestId, long durationInNs) {
                calls.incrementAndGet();
            }
        });
    }

    @Test
    void areNotSessions() throws Exception {
        ServletContextHandler context = new ServletContextHandler("/", ServletContextHandler.SESSIONS);
        ServletHolder servlet = context.addServlet(SendfileServlet.class, "/*");
        servlet.setInitParameter("baseResource", directory.toString());
        servlet.setInitParameter("debugHeader", "true");
        assertWay("yes", context);
    }

    /** As one that counts or times requests does. */
    private class Counting extends EventsHandler {
        private Counting() {
            super(files);
        }

        @Override
        protected void onResponseBegin(Request request, int status, HttpFields headers) {
            calls.incrementAndGet();
        }

        @Override
        @SuppressWarnings("removal")
        protected void onResponseWriteComplete(Request request, Throwable failure) {
            calls.incrementAndGet();
        }

        @Override
        protected void onComplete(Request request, int status, HttpFields headers, Throwable failure) {
            calls.incrementAndGet();
        }
    }

    @Test
    void areNotHandlersThatAreToldOfEventsOnly() throws Exception {
        assertWay("yes", new Counting());
    }

    @Test
    void areHandlersThatAreGivenWhatIsWritten() throws Exception {
        assertWay("SHOWN", new Counting() {
            @Override
            protected void onResponseWrite(Request request, boolean last, ByteBuffer content) {
                calls.incrementAndGet();
            }
        });
    }

    @Test
    void areHandlersThatAreGivenWhatWasWritten() throws Exception {
        assertWay("SHOWN", new StatisticsHandler(files) {
            @Override
            protected void onResponseWriteComplete(
                    Request request, boolean last, ByteBuffer content, Throwable failure) {
                calls.incrementAndGet();
            }
        });
    }

    private Handler streaming(boolean isGivenContent) {
        return Handlers.around(files, (request, response, callback) -> {
            request.addHttpStreamWrapper(stream -> isGivenContent
                    ? new HttpStream.Wrapper(stream) {
                        @Override
                        public void send(
                                MetaData.Request ofRequest,
                                MetaData.Response ofResponse,
                                boolean last,
                                ByteBuffer content,
                                Callback written) {
                            calls.incrementAndGet();
                            super.send(ofRequest, ofResponse, last, content, written);
                        }
                    }
                    : new HttpStream.Wrapper(stream) {
                        @Override
                        public void succeeded() {
                            calls.incrementAndGet();
                            super.succeeded();
                        }
                    });
            return files.handle(request, response, callback);
        });
    }

    @Test
    void areStreamsThatAreGivenWhatIsSent() throws Exception {
        assertWay("SHOWN", streaming(true));
    }

    @Test
    void areNotStreamsThatAreToldOfTheEndOnly() throws Exception {
        assertWay("yes", streaming(false));
    }

    /** By which trailers come behind the content (RFC 9113 section 8.1). A copy for each answer could be as many as a peer has streams. */
    @Test
    void areNotTheStreamsOfHttp2() throws Exception {
        Handler asking = Handlers.of((request, response, callback) -> Content.Sink.write(
                response,
                true,
                "copied: " + SendPath.copied(response, Obstacle.CACHED).isReadLater(),
                callback));
        try (TestServer server = new TestServer(Connectors.NIO::http2).start(asking);
                RawClient client = server.client()) {
            assertEquals("copied: false", new Http2Frames(client).get("/").content());
        }
    }
}
