package dev.millrace.transfer;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.eclipse.jetty.util.annotation.ManagedAttribute;
import org.eclipse.jetty.util.annotation.ManagedObject;

/**
 * The right to take a turn, first come, first served, where each connection has a thread of its own. Algorithms that limit how many
 * transfers run at once ask for it. Thread-safe.
 */
@ManagedObject("Permits to transfer files")
public final class TransferPermits {
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Object, Waiter> waiters = new LinkedHashMap<>();
    private volatile int workers = 50;
    private int busy;

    /** A transfer that waits for its turn; guarded by the lock. */
    private static final class Waiter {
        private final Condition decided;
        private boolean granted;
        private boolean cancelled;

        private Waiter(Condition decided) {
            this.decided = decided;
        }
    }

    /** @param workers the most turns at once, at least 1; turns that wait begin at once where there are more now */
    public void setWorkers(int workers) {
        if (workers < 1) {
            throw new IllegalArgumentException("workers is at least 1, not " + workers);
        }
        lock.lock();
        try {
            this.workers = workers;
            grant();
        } finally {
            lock.unlock();
        }
    }

    @ManagedAttribute("Turns at this moment")
    public int getBusy() {
        lock.lock();
        try {
            return busy;
        } finally {
            lock.unlock();
        }
    }

    @ManagedAttribute("Transfers that wait for their turn")
    public int getQueued() {
        lock.lock();
        try {
            return waiters.size();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Begins a turn; waits until it is there. An interrupt does not end the wait.
     *
     * @param owner by which {@link #cancel} knows the one that waits
     * @param open whether it still may wait; what makes it false must be followed by {@link #cancel}
     * @return whether the turn is there; if not, it was cancelled
     * @throws IllegalStateException when the owner waits already
     */
    public boolean acquire(Object owner, BooleanSupplier open) {
        lock.lock();
        try {
            if (!open.getAsBoolean()) {
                return false;
            }
            if (busy < workers && waiters.isEmpty()) {
                busy++;
                return true;
            }
            Waiter waiter = new Waiter(lock.newCondition());
            if (waiters.putIfAbsent(owner, waiter) != null) {
                throw new IllegalStateException(owner + " waits already");
            }
            while (!waiter.granted && !waiter.cancelled) {
                waiter.decided.awaitUninterruptibly();
            }
            return waiter.granted;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Ends a turn.
     *
     * @throws IllegalStateException when there is none
     */
    public void release() {
        lock.lock();
        try {
            if (busy == 0) {
                throw new IllegalStateException("released more often than acquired");
            }
            busy--;
            grant();
        } finally {
            lock.unlock();
        }
    }

    // The lock is held.
    private void grant() {
        var first = waiters.values().iterator();
        while (busy < workers && first.hasNext()) {
            Waiter waiter = first.next();
            first.remove();
            busy++;
            waiter.granted = true;
            waiter.decided.signal();
        }
    }

    /** @param owner its wait ends, if it waits */
    public void cancel(Object owner) {
        lock.lock();
        try {
            Waiter waiter = waiters.remove(owner);
            if (waiter != null) {
                waiter.cancelled = true;
                waiter.decided.signal();
            }
        } finally {
            lock.unlock();
        }
    }
}
