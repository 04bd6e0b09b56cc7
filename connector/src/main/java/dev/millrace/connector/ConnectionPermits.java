package dev.millrace.connector;

import java.nio.channels.SelectableChannel;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.eclipse.jetty.io.SelectorManager;

/**
 * How many more connections may be accepted. A permit is taken before the system is asked for a connection, so that who
 * must wait does so in the backlog. Given back by the events of Jetty's selector manager, once for each connection.
 *
 * <p>Thread-safe. Without a limit, nothing is locked.
 */
final class ConnectionPermits implements SelectorManager.AcceptListener {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Set<SelectableChannel> holders = new HashSet<>();
    private volatile int most;
    private int taken;
    private boolean closed;

    int getMost() {
        return most;
    }

    void setMost(int most) {
        if (most < 0) {
            throw new IllegalArgumentException("maxConnections is at least 0, not " + most);
        }
        this.most = most;
    }

    void open() {
        lock.lock();
        try {
            closed = false;
            taken = 0;
            holders.clear();
        } finally {
            lock.unlock();
        }
    }

    /** Lets everybody through who waits: the connector stops, and they will find its channel closed. */
    void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    void acquire() {
        if (most == 0) {
            return;
        }
        lock.lock();
        try {
            while (taken >= most && !closed) {
                changed.awaitUninterruptibly();
            }
            taken++;
        } finally {
            lock.unlock();
        }
    }

    /** Gives a permit back that no connection has come to hold. */
    void release() {
        if (most == 0) {
            return;
        }
        lock.lock();
        try {
            giveBack();
        } finally {
            lock.unlock();
        }
    }

    private void giveBack() {
        // One that was taken before the connector was started again may come back late.
        taken = Math.max(0, taken - 1);
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

    // An end point that is closed before it is opened has both events.
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
