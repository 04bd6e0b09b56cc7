package dev.millrace.limits;

import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.eclipse.jetty.io.SelectorManager;
import org.eclipse.jetty.util.annotation.ManagedAttribute;
import org.eclipse.jetty.util.annotation.ManagedObject;

/**
 * How many more connections may be accepted. An acceptor takes a permit before it asks the system for a connection, so that
 * peers wait in the backlog. Events of Jetty's selector manager give permits back, once for each connection.
 *
 * <p>Thread-safe. Without a limit nobody is to ask, and nothing is locked.
 */
@ManagedObject("Permits to have a connection open")
public final class ConnectionPermits implements SelectorManager.AcceptListener {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Set<SelectableChannel> holders = new HashSet<>();
    private volatile int most;
    private int starts;
    private int taken;
    private boolean closed;

    /** @return the most connections that may be open; 0: no limit */
    public int getMost() {
        return most;
    }

    /** @param most the most connections that may be open; 0: no limit; before start */
    public void setMost(int most) {
        this.most = most;
    }

    @ManagedAttribute("Permits that are taken, by connections and acceptors; 0 without a limit")
    public int getTaken() {
        lock.lock();
        try {
            return taken;
        } finally {
            lock.unlock();
        }
    }

    /** Begins a start of the connector with all permits. One of an earlier start that comes back counts for nothing. */
    public void open() {
        lock.lock();
        try {
            closed = false;
            starts++;
            taken = 0;
            holders.clear();
        } finally {
            lock.unlock();
        }
    }

    /** Lets all waiting acceptors through: the connector stops, and they will find its channel closed. */
    public void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
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
        int start = acquire();
        try {
            accept.run();
        } catch (Throwable x) {
            release(start);
            throw x;
        }
    }

    /** @return which start of the connector the permit is of */
    int acquire() {
        lock.lock();
        try {
            while (taken >= most && !closed) {
                changed.awaitUninterruptibly();
            }
            taken++;
            return starts;
        } finally {
            lock.unlock();
        }
    }

    /** Whether connections have all permits, and an acceptor waits for one: a peer that connects now waits in the backlog. */
    boolean areAwaited() {
        if (most == 0) {
            return false;
        }
        lock.lock();
        try {
            // Another acceptor may have a permit, and wait for a peer.
            return holders.size() >= most && lock.hasWaiters(changed);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Gives a permit back that no connection has come to hold.
     *
     * @param start which it is of: one that comes back after the next start is none of that
     */
    void release(int start) {
        lock.lock();
        try {
            if (start == starts) {
                giveBack();
            }
        } finally {
            lock.unlock();
        }
    }

    private void giveBack() {
        if (taken == 0) {
            throw new IllegalStateException("released more often than acquired");
        }
        taken--;
        changed.signal();
    }

    @Override
    public void onAccepting(SelectableChannel channel) {
        if (most == 0) {
            return;
        }
        lock.lock();
        try {
            holders.add(channel);
        } finally {
            lock.unlock();
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
        if (most == 0) {
            return;
        }
        lock.lock();
        try {
            if (holders.remove(channel)) {
                giveBack();
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public String toString() {
        return "ConnectionPermits[" + taken + " of " + (most == 0 ? "any" : most) + "]";
    }
}
