package dev.millrace.limits;

import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import org.eclipse.jetty.io.SelectorManager;
import org.eclipse.jetty.util.annotation.ManagedAttribute;
import org.eclipse.jetty.util.annotation.ManagedObject;

/**
 * How many more connections may be accepted. An acceptor takes a permit before it asks the system for a connection, so that
 * peers wait in the backlog. Events of Jetty's selector manager give permits back, once for each connection.
 *
 * <p>Thread-safe. Without a limit nobody is to ask.
 */
@ManagedObject("Permits to have a connection open")
public final class ConnectionPermits implements SelectorManager.AcceptListener {
    /** More than there are acceptors. A stop may let them through twice. */
    private static final int ALL_WAITING = 1_000_000;
    /** A semaphore has a bound, behind which it fails. */
    private static final int MOST = Integer.MAX_VALUE - 10 * ALL_WAITING;

    /** Each connection, and where its permit is from: that may be an earlier start. */
    private final Map<SelectableChannel, Semaphore> holders = new ConcurrentHashMap<>();

    private volatile int most;
    /** Those of the last start. What comes back to those of an earlier one counts for nothing. */
    private volatile Semaphore permits = new Semaphore(0);

    /** @return the most connections that may be open; 0: no limit */
    public int getMost() {
        return most;
    }

    /** @param most the most connections that may be open; 0: no limit; before start */
    public void setMost(int most) {
        this.most = most;
        open();
    }

    @ManagedAttribute("Permits that are taken, by connections and acceptors; 0 without a limit, and after a stop")
    public int getTaken() {
        return Math.max(0, Math.min(most, MOST) - permits.availablePermits());
    }

    /** Begins a start of the connector with all permits. */
    public void open() {
        permits = new Semaphore(Math.min(most, MOST));
        holders.clear();
    }

    /** Lets all waiting acceptors through: the connector stops, and they will find its channel closed. */
    public void close() {
        permits.release(ALL_WAITING);
    }

    /** Accepts a connection, which must not be asked for without a permit. */
    public interface Accept {
        /** An exception says that none was accepted. */
        void run() throws IOException;
    }

    /**
     * Accepts a connection when there is a permit. An interrupt does not end the wait for it; {@link #close} does.
     *
     * @throws IOException as the accept has thrown: then the permit is given back
     */
    public void accept(Accept accept) throws IOException {
        Semaphore from = acquire();
        try {
            accept.run();
        } catch (Throwable x) {
            from.release();
            throw x;
        }
    }

    /** @return what a permit was taken from, and is to be given back to */
    Semaphore acquire() {
        Semaphore current = permits;
        current.acquireUninterruptibly();
        return current;
    }

    /** Whether connections have all permits, and an acceptor waits for one: a peer that connects now waits in the backlog. */
    boolean areAwaited() {
        // Another acceptor may have a permit, and wait for a peer.
        return most > 0 && holders.size() >= most && permits.hasQueuedThreads();
    }

    @Override
    public void onAccepting(SelectableChannel channel) {
        if (most > 0) {
            holders.put(channel, permits);
        }
    }

    // An end point that is closed before it is opened has this event and the next: the second finds no holder.
    @Override
    public void onAcceptFailed(SelectableChannel channel, Throwable cause) {
        release(channel);
    }

    @Override
    public void onClosed(SelectableChannel channel) {
        release(channel);
    }

    private void release(SelectableChannel channel) {
        Semaphore from = holders.remove(channel);
        if (from != null) {
            from.release();
        }
    }

    @Override
    public String toString() {
        return "ConnectionPermits[" + getTaken() + " of " + (most == 0 ? "any" : most) + "]";
    }
}
