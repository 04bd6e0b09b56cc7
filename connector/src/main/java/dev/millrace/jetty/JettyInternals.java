package dev.millrace.jetty;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.eclipse.jetty.http.HttpGenerator;
import org.eclipse.jetty.http.HttpParser;
import org.eclipse.jetty.io.AbstractEndPoint;
import org.eclipse.jetty.io.ByteArrayEndPoint;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.WriteFlusher;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.server.Components;
import org.eclipse.jetty.server.DetectorConnectionFactory;
import org.eclipse.jetty.server.HttpChannel;
import org.eclipse.jetty.server.HttpStream;
import org.eclipse.jetty.server.NegotiatingServerConnection;
import org.eclipse.jetty.server.ProxyConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.EventsHandler;
import org.eclipse.jetty.server.internal.HttpChannelState;
import org.eclipse.jetty.server.internal.HttpConnection;
import org.eclipse.jetty.util.IteratingCallback;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What Jetty does not export or promise. Each assumption is looked at once. When it does not hold, a warning says what
 * is done without it, and the methods here give the answer that is safe.
 *
 * <p>All methods may be called by any thread, and none waits.
 */
public final class JettyInternals {
    private static final Logger LOG = LoggerFactory.getLogger(JettyInternals.class);

    /** The class of Jetty's own response. */
    static final String CHANNEL_RESPONSE = "org.eclipse.jetty.server.internal.HttpChannelState$ChannelResponse";

    private static final boolean HTTP_1 = Assumption.holds(
            JettyInternals::showsHttp1, "files are copied, and slow requests of HTTP/1.1 are left to the idle timeout");
    private static final boolean CHANNEL = Assumption.holds(JettyInternals::showsStream, "files are copied");

    private JettyInternals() {}

    /** Facts that only TLS needs. */
    private static final class Writes {
        private static final boolean STATES = Assumption.holds(
                () -> isIdle(new ByteArrayEndPoint().getWriteFlusher().toStateString()),
                "writes of TLS are left to another thread");
        private static final boolean END_POINT_TEXT = Assumption.holds(
                JettyInternals::tellsOfClosing, "a write that TLS has given up is left to the idle timeout");
    }

    private static final class Events {
        /** From a response of an EventsHandler to that handler. */
        private static final @Nullable Field HANDLER =
                Assumption.lookFor(JettyInternals::handlerOfResponse, "files behind an EventsHandler are copied");
    }

    private static final class Http2 {
        private static final boolean SESSION = Assumption.isClassThere(
                        "org.eclipse.jetty.http2.server.AbstractHTTP2ServerConnectionFactory")
                && Assumption.holds(Http2Internals::areShown, "slow peers of HTTP/2 are left to the idle timeout");
    }

    private static boolean showsHttp1() throws ReflectiveOperationException {
        Assumption.find(HttpConnection.class, HttpParser.class, "getParser");
        Assumption.find(HttpConnection.class, HttpGenerator.class, "getGenerator");
        Assumption.find(HttpConnection.class, HttpChannel.class, "getHttpChannel");
        Assumption.find(HttpParser.class, boolean.class, "isStart", "isTerminated", "inContentState", "hasContent");
        Assumption.find(HttpParser.class, long.class, "getBeginNanoTime");
        Assumption.find(HttpGenerator.class, boolean.class, "isCommitted", "isEnd", "isIdle");
        // The states of a head are those in between.
        List<HttpParser.State> states = List.of(HttpParser.State.values());
        return states.indexOf(HttpParser.State.START) == 0
                && states.indexOf(HttpParser.State.HEADER) + 1 == states.indexOf(HttpParser.State.CONTENT);
    }

    private static boolean showsStream() throws ReflectiveOperationException {
        Assumption.find(HttpChannelState.class, HttpStream.class, "getHttpStream");
        MethodType wrapper = MethodType.methodType(void.class, Function.class);
        MethodHandles.lookup().findVirtual(HttpChannelState.class, "addHttpStreamWrapper", wrapper);
        return Components.class.isAssignableFrom(HttpChannelState.class) && Assumption.isClassThere(CHANNEL_RESPONSE);
    }

    private static boolean tellsOfClosing() {
        ByteArrayEndPoint endPoint = new ByteArrayEndPoint();
        String open = endPoint.toEndPointString();
        endPoint.close();
        return open.contains(",OPEN,")
                && open.contains(",flush=-,")
                && endPoint.toEndPointString().contains(",CLOSED,");
    }

    /** Whether content that is written to Jetty's own response goes to the end point as it is, and the stream shows what else sees it. */
    static boolean passesContentOn() {
        return HTTP_1 && CHANNEL;
    }

    /** Whether there is HTTP/2 and it is as it is known. Without it {@link Http2Internals} must not be called. */
    public static boolean hasHttp2() {
        return Http2.SESSION;
    }

    /** @return the parser of a connection of HTTP/1.1; null for another protocol */
    public static @Nullable HttpParser parserOf(@Nullable Connection connection) {
        return HTTP_1 && connection instanceof HttpConnection http ? http.getParser() : null;
    }

    /** Whether content of a request is yet to be read. */
    public static boolean hasContentLeft(HttpParser parser) {
        // For a request without content, the parser says that it is in the content until it looks at what follows.
        return parser.inContentState() && parser.hasContent();
    }

    /** @return the generator of a connection of HTTP/1.1; null for another protocol */
    public static @Nullable HttpGenerator generatorOf(@Nullable Connection connection) {
        return HTTP_1 && connection instanceof HttpConnection http ? http.getGenerator() : null;
    }

    /**
     * Whether all that was said to a peer has been written, and its protocol has ended, or rests between two requests.
     *
     * @param spoken what is spoken at the end point, inside TLS or not
     * @param outputEnded whether the peer has been told that no more comes
     */
    public static boolean hasWrittenAll(AbstractEndPoint endPoint, @Nullable Connection spoken, boolean outputEnded) {
        SslConnection tls = endPoint.getConnection() instanceof SslConnection ssl ? ssl : null;
        // The engine is asked last. A thread that computes a handshake has its lock, and then nothing is written whole.
        return !isPendingOrFailed(endPoint)
                && (tls == null || !isPendingOrFailed(tls.getSslEndPoint()))
                && hasEnded(endPoint, spoken, outputEnded)
                && (tls == null || !tls.getSSLEngine().isInboundDone());
    }

    private static boolean hasEnded(AbstractEndPoint endPoint, @Nullable Connection spoken, boolean outputEnded) {
        HttpGenerator generator = generatorOf(spoken);
        if (generator == null) {
            return outputEnded || (hasHttp2() && Http2Internals.hasEnded(endPoint.getConnection()));
        }
        HttpParser parser = parserOf(spoken);
        return generator.isEnd() || (generator.isIdle() && parser != null && parser.isTerminated());
    }

    private static boolean isPendingOrFailed(AbstractEndPoint endPoint) {
        WriteFlusher flusher = endPoint.getWriteFlusher();
        return flusher.isPending() || flusher.isFailed();
    }

    /** @return the request that a connection of HTTP/1.1 handles; null when it handles none, and for another protocol */
    public static @Nullable Request requestOf(@Nullable Connection connection) {
        return HTTP_1 && connection instanceof HttpConnection http
                ? http.getHttpChannel().getRequest()
                : null;
    }

    /**
     * Whether a connection of HTTP/1.1 answers a malformed request, on a thread of the pool. It asks for more even then, and when more comes,
     * or the end, closes in the middle of the answer. After the answer it closes in any case.
     *
     * @param connection what is spoken, inside TLS or not: of TLS itself it is never true
     */
    public static boolean answersMalformedRequest(@Nullable Connection connection) {
        HttpParser parser = parserOf(connection);
        return parser != null && parser.isTerminated() && requestOf(connection) != null;
    }

    /** Whether a connection of HTTP/1.1 handles a request that has not ended. False for another protocol, and when that cannot be seen. */
    public static boolean handlesRequest(@Nullable Connection connection) {
        return HTTP_1
                && CHANNEL
                && connection instanceof HttpConnection http
                && http.getHttpChannel() instanceof HttpChannelState channel
                && channel.getHttpStream() != null;
    }

    /**
     * Has a thread that fails the request of a connection of HTTP/1.1 leave its content to others. Without a request nothing happens, nor
     * with another protocol.
     *
     * @param isFailing whether the current thread is one that does
     */
    public static void leaveContent(@Nullable Connection connection, BooleanSupplier isFailing) {
        if (CHANNEL
                && requestOf(connection) != null
                && connection instanceof HttpConnection http
                && http.getHttpChannel() instanceof HttpChannelState channel) {
            try {
                channel.addHttpStreamWrapper(
                        stream -> LeftContent.of(stream) == null ? LeftContent.around(stream, isFailing) : stream);
            } catch (IllegalStateException x) {
                LOG.debug("The request has just ended: {}", x.toString());
            }
        }
    }

    /** @return what a connection of HTTP/1.1 keeps from one request to the next; null when it keeps nothing, and for another protocol */
    public static @Nullable Components componentsOf(@Nullable Connection connection) {
        return HTTP_1
                        && connection instanceof HttpConnection http
                        && http.getHttpChannel() instanceof Components components
                ? components
                : null;
    }

    /** @return the stream that a request's response is sent to; null when that cannot be seen */
    public static @Nullable HttpStream streamOf(Request request) {
        HttpStream stream =
                CHANNEL && request.getComponents() instanceof HttpChannelState channel ? channel.getHttpStream() : null;
        LeftContent left = stream instanceof Proxy ? LeftContent.of(stream) : null;
        return left == null ? stream : left.stream();
    }

    /** Whether a class is the stream by which Jetty's sessions learn of a request's end; it passes content on. */
    public static boolean isStreamOfSession(Class<?> stream) {
        return stream.getName().equals("org.eclipse.jetty.session.AbstractSessionManager$SessionStreamWrapper");
    }

    /** Whether a connection only finds out what follows it: Jetty's PROXY protocol, its detector. */
    public static boolean isPreliminary(@Nullable Connection connection) {
        Class<?> factory = connection == null ? null : connection.getClass().getNestHost();
        return factory == ProxyConnectionFactory.class || factory == DetectorConnectionFactory.class;
    }

    /** Whether a connection speaks another protocol than HTTP/1.1, and does not only find out which protocol follows. */
    public static boolean isOtherProtocol(@Nullable Connection connection) {
        return connection != null
                && parserOf(connection) == null
                && !(connection instanceof NegotiatingServerConnection)
                && !isPreliminary(connection);
    }

    /** Whether a write waits to go on, or goes on, on another thread than that which began it. True when that cannot be seen. */
    public static boolean isWriteUnfinished(WriteFlusher flusher) {
        return !Writes.STATES || isUnfinished(flusher.toStateString());
    }

    /** Pending or completing, or a state that is not known. */
    static boolean isUnfinished(String state) {
        return !isIdle(state) && !(state.length() == 1 && "FLNX".contains(state));
    }

    /**
     * Whether a flusher has no buffer to write. One that has failed may have one: a thread that was in it may be there still. Where states
     * cannot be seen, all are taken for idle that are not pending.
     */
    public static boolean isIdle(WriteFlusher flusher) {
        return Writes.STATES ? isIdle(flusher.toStateString()) : !flusher.isPending();
    }

    /** Whether a thread is in a write that it has begun, and not in the rest of one. False when that cannot be seen. */
    public static boolean isBegun(WriteFlusher flusher) {
        return Writes.STATES && flusher.toStateString().equals("F");
    }

    private static boolean isIdle(String state) {
        return state.equals("-");
    }

    /** Whether an end point is closed, or its write being cancelled. False when that cannot be seen. */
    public static boolean isGivenUp(AbstractEndPoint endPoint) {
        return Writes.END_POINT_TEXT && isGivenUp(endPoint.toEndPointString());
    }

    static boolean isGivenUp(String endPoint) {
        return endPoint.contains(",CLOSED,") || endPoint.contains(",flush=L,");
    }

    /** Whether an end point has ended its output, or is about to. False when that cannot be seen. */
    public static boolean endsOutput(AbstractEndPoint endPoint) {
        String text = Writes.END_POINT_TEXT ? endPoint.toEndPointString() : "";
        return text.contains(",CLOSED,") || text.contains(",OSHUT");
    }

    /**
     * Whether a thread is in Jetty's code that writes a response, or that knows already how the write has ended. The state of an {@link
     * IteratingCallback} is not shown. So this looks at the thread's stack, which takes some ten microseconds.
     */
    public static boolean isWritingResponse(Thread thread) {
        String callback = IteratingCallback.class.getName();
        return Arrays.stream(thread.getStackTrace())
                .anyMatch(frame -> frame.getClassName().equals(callback));
    }

    private static @Nullable Field handlerOfResponse() {
        try {
            for (Class<?> type : EventsHandler.class.getDeclaredClasses()) {
                for (Field field : Response.class.isAssignableFrom(type) ? type.getDeclaredFields() : new Field[0]) {
                    if (field.getType() == EventsHandler.class) {
                        field.setAccessible(true);
                        return field;
                    }
                }
            }
        } catch (LinkageError | RuntimeException x) {
            LOG.debug("No way from a response to its EventsHandler", x);
        }
        return null;
    }

    /**
     * @param response of an {@link EventsHandler}
     * @return that handler; null when there is no way to it
     */
    public static @Nullable Object eventsHandlerOf(Response response) {
        Field handler = Events.HANDLER;
        if (handler == null) {
            return null;
        }
        try {
            return handler.get(response);
        } catch (IllegalAccessException x) {
            throw new IllegalStateException(x);
        }
    }

    /** @return the class of that name that an object is of, for classes that a server need not have; null when it is not */
    public static @Nullable Class<?> classOf(Object of, String name) {
        for (Class<?> type = of.getClass(); type != null; type = type.getSuperclass()) {
            if (type.getName().equals(name)) {
                return type;
            }
        }
        return null;
    }

    /**
     * The attribute that Jetty's {@code ProxyHandler} gives to its request to another server: the request from the client. There a private
     * constant.
     *
     * @throws NoSuchFieldError when that class does not name it
     */
    public static String proxiedRequestAttribute(Class<?> proxyHandler) {
        String suffix = ".clientToProxyRequest";
        try (InputStream classFile = proxyHandler.getResourceAsStream(proxyHandler.getSimpleName() + ".class")) {
            if (classFile != null
                    && new String(classFile.readAllBytes(), StandardCharsets.ISO_8859_1).contains(suffix)) {
                return proxyHandler.getName() + suffix;
            }
        } catch (IOException x) {
            LOG.debug("Cannot read {}", proxyHandler, x);
        }
        throw new NoSuchFieldError(proxyHandler.getName() + suffix);
    }
}
