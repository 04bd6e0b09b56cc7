package dev.millrace.jetty;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Logged;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.eclipse.jetty.http.HttpParser;
import org.eclipse.jetty.io.AbstractEndPoint;
import org.eclipse.jetty.io.ByteArrayEndPoint;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.proxy.ProxyHandler;
import org.eclipse.jetty.server.DetectorConnectionFactory;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.ProxyConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.server.handler.EventsHandler;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.Jetty;
import org.junit.jupiter.api.Test;

/** Each assumption about Jetty by its name: a new version that breaks one fails here first. */
class JettyInternalsContractTest {
    private static void serve(Handler.Wrapper outer, Consumer<Request> seen, Consumer<Response> answered)
            throws Exception {
        try (TestServer server = new TestServer(Connectors.STOCK::http)) {
            Handler inner = Handlers.of((request, response, callback) -> {
                try {
                    seen.accept(request);
                    answered.accept(response);
                    callback.succeeded();
                } catch (Throwable x) {
                    callback.failed(x);
                }
            });
            outer.setHandler(inner);
            server.start(outer);
            try (RawClient client = server.client()) {
                assertEquals(200, client.get("/").answer().status());
            }
        }
    }

    private static void serve(Consumer<Request> seen, Consumer<Response> answered) throws Exception {
        serve(new Handler.Wrapper(), seen, answered);
    }

    /** Of the build: {@code -Djetty.version} reaches the class path. */
    @Test
    void theJettyThatWasAskedForRuns() {
        assertEquals(System.getProperty("jetty.version", Jetty.VERSION), Jetty.VERSION);
    }

    @Test
    void aConnectionOfHttp1ShowsParserGeneratorAndRequest() throws Exception {
        serve(
                request -> {
                    Connection connection = request.getConnectionMetaData().getConnection();
                    assertTrue(JettyInternals.parserOf(connection).hasContent()
                            || !JettyInternals.parserOf(connection).isStart());
                    assertFalse(JettyInternals.generatorOf(connection).isCommitted());
                    assertSame(request.getComponents(), JettyInternals.componentsOf(connection));
                    assertEquals(
                            request.getId(),
                            JettyInternals.requestOf(connection).getId());
                    assertTrue(JettyInternals.handlesRequest(connection));
                },
                response -> {});
    }

    @Test
    void theStatesOfAHeadAreBetweenItsStartAndItsContent() {
        for (HttpParser.State state : HttpParser.State.values()) {
            boolean isInHead =
                    state.compareTo(HttpParser.State.START) > 0 && state.compareTo(HttpParser.State.CONTENT) < 0;
            boolean isKnownAfter = state.name().startsWith("C")
                    || state.name().contains("CONTENT")
                    || state == HttpParser.State.TRAILER
                    || state == HttpParser.State.END;
            assertEquals(state != HttpParser.State.START && !isKnownAfter, isInHead, state.name());
        }
    }

    @Test
    void theChannelShowsItsStreamAndItsResponse() throws Exception {
        serve(
                request -> assertNotNull(JettyInternals.streamOf(request)),
                response -> assertEquals(ResponseLayer.CHANNEL, ResponseLayer.of(response.getClass())));
    }

    private static boolean isThere(String type) {
        return Assumption.isClassThere(type);
    }

    /** A module, or a version, may be without a handler, but a handler that is there has the response that is known. */
    @Test
    void theKnownLayersOfResponsesAreClasses() {
        assertAll(ResponseLayer.names().map(name -> () -> {
            String around = name.contains("$")
                    ? name.substring(0, name.indexOf('$'))
                    : name.replaceAll("(servlet\\.Servlet|Context|internal\\.Compression)(Context)?Response$", "$1")
                            .replaceAll("\\.servlet\\.Servlet$", ".servlet.ServletContextHandler")
                            .replaceAll("\\.handler\\.Context$", ".handler.ContextHandler")
                            .replaceAll("\\.internal\\.Compression$", ".CompressionHandler");
            assertEquals(isThere(around), isThere(name), name + " with " + around);
        }));
        assertTrue(ResponseLayer.names()
                        .filter(JettyInternalsContractTest::isThere)
                        .count()
                >= 7);
    }

    @Test
    void anEventsHandlerIsFoundFromItsResponse() throws Exception {
        EventsHandler events = new EventsHandler() {};
        serve(events, request -> {}, response -> {
            assertEquals(ResponseLayer.EVENTS, ResponseLayer.of(response.getClass()));
            assertSame(events, JettyInternals.eventsHandlerOf(response));
        });
    }

    @Test
    void theStreamOfASessionIsAClass() throws Exception {
        Class<?> stream = Class.forName("org.eclipse.jetty.session.AbstractSessionManager$SessionStreamWrapper");
        assertTrue(JettyInternals.isStreamOfSession(stream));
        assertFalse(JettyInternals.isStreamOfSession(stream.getSuperclass()));
    }

    @Test
    void whatFindsOutTheProtocolIsNestedInItsFactory() {
        ServerConnector connector = new ServerConnector(new Server());
        HttpConnectionFactory http = new HttpConnectionFactory();
        connector.addConnectionFactory(http);
        ByteArrayEndPoint endPoint = new ByteArrayEndPoint();
        assertTrue(JettyInternals.isPreliminary(
                new ProxyConnectionFactory(http.getProtocol()).newConnection(connector, endPoint)));
        assertTrue(JettyInternals.isPreliminary(
                new DetectorConnectionFactory(new SslConnectionFactory(null, http.getProtocol()))
                        .newConnection(connector, endPoint)));
        assertFalse(JettyInternals.isPreliminary(http.newConnection(connector, endPoint)));
        assertFalse(JettyInternals.isPreliminary(null));
    }

    /** An end point with room for so many bytes, which shows what is said of it while it is in a flush. */
    private static final class Shown extends ByteArrayEndPoint {
        private final Consumer<AbstractEndPoint> inFlush;

        private Shown(int bytes, Consumer<AbstractEndPoint> inFlush) {
            super(new byte[0], bytes);
            this.inFlush = inFlush;
        }

        @Override
        public boolean flush(ByteBuffer... buffers) throws java.io.IOException {
            boolean flushed = super.flush(buffers);
            inFlush.accept(this);
            return flushed;
        }
    }

    @Test
    void aWriterIsUnfinishedWhilePendingOrCompleting() {
        boolean[] expected = {false};
        Shown endPoint = new Shown(
                4, shown -> assertEquals(expected[0], JettyInternals.isWriteUnfinished(shown.getWriteFlusher())));
        assertFalse(JettyInternals.isWriteUnfinished(endPoint.getWriteFlusher()));
        endPoint.write(Callback.NOOP, ByteBuffer.allocate(6));
        assertTrue(JettyInternals.isWriteUnfinished(endPoint.getWriteFlusher()));
        endPoint.takeOutput();
        expected[0] = true;
        endPoint.getWriteFlusher().completeWrite();
        assertFalse(JettyInternals.isWriteUnfinished(endPoint.getWriteFlusher()));
        endPoint.getWriteFlusher().onFail(new EofException());
        assertFalse(JettyInternals.isWriteUnfinished(endPoint.getWriteFlusher()));
    }

    @Test
    void anEndPointTellsThatItIsClosed() throws Exception {
        ByteArrayEndPoint endPoint = new ByteArrayEndPoint();
        assertFalse(JettyInternals.isGivenUp(endPoint));
        assertFalse(JettyInternals.endsOutput(endPoint));
        endPoint.shutdownOutput();
        assertTrue(JettyInternals.endsOutput(endPoint));
        endPoint.close();
        assertTrue(JettyInternals.endsOutput(endPoint));
        assertTrue(JettyInternals.isGivenUp(endPoint));
        assertSame(
                AbstractEndPoint.class,
                SslConnection.SslEndPoint.class.getMethod("toEndPointString").getDeclaringClass());
    }

    @Test
    void anEndPointTellsThatItsWriteIsBeingCancelled() throws Exception {
        Thread[] canceller = {null};
        Shown endPoint = new Shown(4, shown -> {
            assertFalse(JettyInternals.isGivenUp(shown));
            canceller[0] = new Thread(() -> shown.cancelWrite(new EofException()));
            canceller[0].start();
            Await.until("the write is given up", () -> JettyInternals.isGivenUp(shown));
            assertFalse(JettyInternals.isWriteUnfinished(shown.getWriteFlusher()));
        });
        endPoint.write(Callback.NOOP, ByteBuffer.allocate(2));
        canceller[0].join();
        assertFalse(JettyInternals.isGivenUp(endPoint));
    }

    @Test
    void aProxyNamesTheRequestOfItsClient() throws Exception {
        Field attribute = ProxyHandler.class.getDeclaredField("CLIENT_TO_PROXY_REQUEST_ATTRIBUTE");
        attribute.setAccessible(true);
        assertEquals(attribute.get(null), JettyInternals.proxiedRequestAttribute(ProxyHandler.class));
    }

    @Test
    void http2ShowsItsSessionsAndStreams() {
        assertTrue(JettyInternals.hasHttp2());
    }

    @Test
    void statesThatAreNotKnownAreUnfinished() {
        for (String state : new String[] {"P", "C", "Q", "", "PENDING", "FL", "idle"}) {
            assertTrue(JettyInternals.isUnfinished(state), state);
        }
    }

    @Test
    void aProxyThatNamesItOtherwiseIsNotKnown() {
        assertThrows(NoSuchFieldError.class, () -> JettyInternals.proxiedRequestAttribute(EventsHandler.class));
    }

    @Test
    void otherProtocolsHaveNoParser() {
        assertNull(JettyInternals.parserOf(null));
        assertNull(JettyInternals.generatorOf(null));
        assertNull(JettyInternals.requestOf(null));
        assertNull(JettyInternals.componentsOf(null));
    }

    @Test
    void whatDoesNotHoldIsToldOnce() {
        try (Logged logged = new Logged(Assumption.class.getName())) {
            assertTrue(Assumption.holds(() -> true, "nothing"));
            assertFalse(Assumption.holds(() -> false, "one"));
            assertFalse(Assumption.holds(
                    () -> {
                        throw new IllegalAccessError("not exported");
                    },
                    "two"));
            assertFalse(Assumption.holds(
                    () -> {
                        Assumption.find(HttpParser.class, int.class, "isStart");
                        return true;
                    },
                    "three"));
            assertEquals(1, logged.count("(not as expected): one"));
            assertEquals(1, logged.count("not exported): two"));
            assertEquals(1, logged.count(": three"));
            assertEquals(3, logged.count("is not as Millrace knows it"));
        }
    }
}
