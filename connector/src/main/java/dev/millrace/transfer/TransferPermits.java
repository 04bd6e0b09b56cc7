package dev.millrace.transfer;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.function.BooleanSupplier;
import org.eclipse.jetty.util.annotation.ManagedAttribute;
import org.eclipse.jetty.util.annotation.ManagedObject;
import org.eclipse.jetty.util.thread.AutoLock;

/**
 * The right to take a turn, first come, first served, where each connection has a thread of its own. Algorithms that limit how many
 * transfers run at once ask for it. Thread-safe.
 */
@ManagedObject("Permits to transfer files")
public final class TransferPermits {
    private final AutoLock lock = new AutoLock();
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
        try (AutoLock held = lock.lock()) {
            this.workers = workers;
            grant();
        }
    }

    @ManagedAttribute("Turns at this moment")
    public int getBusy() {
        try (AutoLock held = lock.lock()) {
            return busy;
        }
    }

    @ManagedAttribute("Transfers that wait for their turn")
    public int getQueued() {
        try (AutoLock held = lock.lock()) {
            return waiters.size();
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
        try (AutoLock held = lock.lock()) {
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
        }
    }

    /**
     * Ends a turn.
     *
     * @throws IllegalStateException when there is none
     */
    public void release() {
        try (AutoLock held = lock.lock()) {
            if (busy == 0) {
                throw new IllegalStateException("released more often than acquired");
            }
            busy--;
            grant();
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
        try (AutoLock held = lock.lock()) {
            Waiter waiter = waiters.remove(owner);
            if (waiter != null) {
                waiter.cancelled = true;
                waiter.decided.signal();
            }
        }
    }
}
