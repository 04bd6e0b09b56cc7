package dev.millrace.files.cache;

import java.util.concurrent.atomic.AtomicInteger;

/** How many holders something has; its maker holds the first count. Thread-safe. */
final class References {
    private final AtomicInteger count = new AtomicInteger(1);

    /** Takes a count, unless the last one is gone: from then on none can be taken. */
    boolean retain() {
        return count.getAndUpdate(now -> now == 0 ? 0 : now + 1) > 0;
    }

    /**
     * Gives a count back.
     *
     * @return whether it was the last one
     * @throws IllegalStateException when there was none: a caller has given back the count of another
     */
    boolean release() {
        int before = count.getAndUpdate(now -> now == 0 ? 0 : now - 1);
        if (before == 0) {
            throw new IllegalStateException("released more often than retained");
        }
        return before == 1;
    }

    boolean isGone() {
        return count.get() == 0;
    }

    @Override
    public String toString() {
        return count.toString();
    }
}
