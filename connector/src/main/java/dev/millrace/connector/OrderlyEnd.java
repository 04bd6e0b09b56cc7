package dev.millrace.connector;

import dev.millrace.jetty.JettyInternals;
import java.io.Closeable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Predicate;
import org.eclipse.jetty.http.HttpParser;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.util.IO;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends the connections of a connector that stops: by their protocols where that is safe.
 *
 * <p>When Jetty closes a connection of HTTP/1.1, it reads what it can of the request's content. A thread of the request may do the same.
 * Then the buffer may be gone under one of them, or be lost to the pool. A thread that has just begun to wait is not told of the end.
 * Closing the end point under such a connection touches no buffer, and tells whoever waits then, or later. So it is done where a request
 * may come just then, too.
 */
final class OrderlyEnd {
    private static final Logger LOG = LoggerFactory.getLogger(OrderlyEnd.class);
    /** How long requests have to notice that their end point was closed. */
    static final long MOST_MILLIS = 1000;

    private OrderlyEnd() {}

    /**
     * Ends connections, and waits for what that leaves to others. Any thread may call it that may wait for a lock of TLS. What an
     * application throws that hears of an end is dropped, as Jetty does: the others end too.
     *
     * @param endPoints those that are connected at any moment
     * @param busy end points that are closed themselves, for their protocol would wait
     * @param stopping the thread that stops the connector, maybe in a handler: then its request cannot end before this returns
     * @param elsewhere runs a task at once, by a thread that may wait for an application in a handshake
     * @param mostMillis how long this waits at most
     */
    static void end(
            Collection<EndPoint> endPoints,
            Predicate<MillraceEndPoint> busy,
            Thread stopping,
            Executor elsewhere,
            long mostMillis) {
        List<Connection> requests = new ArrayList<>();
        List<HoldingEndPoint> ended = new ArrayList<>();
        List<EndPoint> computing = new ArrayList<>();
        for (EndPoint endPoint : List.copyOf(endPoints)) {
            if (!(endPoint instanceof MillraceEndPoint ours)) {
                // An application's own.
                IO.close(inOrder(endPoint, null, false));
                continue;
            }
            Connection spoken = ours.spoken();
            boolean isRequest = JettyInternals.handlesRequest(spoken);
            if (spoken != null && isRequest && mayRead(ours, spoken, stopping)) {
                requests.add(spoken);
                IO.close(ours);
            } else if (busy.test(ours)) {
                IO.close(ours);
            } else if (mayCompute(ours)) {
                computing.add(ours);
                closeElsewhere(inOrder(ours, spoken, isRequest), elsewhere);
            } else {
                IO.close(inOrder(ours, spoken, isRequest));
                if (spoken != null && spoken.getEndPoint() instanceof HoldingEndPoint holding) {
                    ended.add(holding);
                }
            }
        }
        // A request that neither reads nor writes has heard nothing of the end: an asynchronous one, as a rule.
        // A thread that writes what HTTP/2 held back is about to write the farewell too.
        Waiting.until(
                mostMillis,
                () -> requests.stream().noneMatch(JettyInternals::handlesRequest)
                        && ended.stream().noneMatch(OrderlyEnd::isReleasing)
                        && computing.stream().noneMatch(EndPoint::isOpen));
        computing.forEach(IO::close);
        requests.forEach(IO::close);
    }

    /**
     * Whether another thread may compute the first handshake. It has the locks of TLS and of its engine. It may wait in the
     * application, for a key or a directory. Asked before the end point is closed, which ends the interest.
     */
    static boolean mayCompute(MillraceEndPoint endPoint) {
        Connection spoken = endPoint.spoken();
        // A protocol that does not count its bytes tells -1.
        return endPoint.getConnection() instanceof SslConnection
                && !endPoint.isFillInterested()
                && endPoint.handlingThread() != Thread.currentThread()
                && (spoken == null || spoken.getBytesIn() <= 0);
    }

    /** What to close for a connection to end by its protocol. Inside TLS, this says farewell too. */
    private static Closeable inOrder(EndPoint endPoint, @Nullable Connection spoken, boolean isRequest) {
        if (spoken != null && !isRequest && JettyInternals.parserOf(spoken) != null) {
            return spoken.getEndPoint();
        }
        Connection connection = endPoint.getConnection();
        return connection == null ? endPoint : connection;
    }

    private static void closeElsewhere(Closeable closed, Executor elsewhere) {
        try {
            elsewhere.execute(() -> IO.close(closed));
        } catch (RejectedExecutionException | OutOfMemoryError x) {
            LOG.debug("No thread to end {} in order: {}", closed.getClass(), x.toString());
        }
    }

    private static boolean isReleasing(HoldingEndPoint endPoint) {
        Http2Turns turns = endPoint.getTurns();
        return turns != null && turns.isReleasing();
    }

    // A request that waits for content does not read while it waits. The thread of one without content goes on to read
    // the next. The thread that stops the server reads nothing meanwhile.
    private static boolean mayRead(MillraceEndPoint endPoint, Connection connection, Thread stopping) {
        HttpParser parser = JettyInternals.parserOf(connection);
        Thread handling = endPoint.handlingThread();
        return parser != null
                && handling != stopping
                && !connection.getEndPoint().isFillInterested()
                && (parser.inContentState() || handling != null);
    }
}
