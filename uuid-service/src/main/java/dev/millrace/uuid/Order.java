package dev.millrace.uuid;

import java.util.ArrayList;
import java.util.List;

/** The batches of one request, in their order, never more UUIDs than allowed. For the thread of that request only. */
final class Order {
    private final int maxUuids;
    private final List<Batch> batches = new ArrayList<>(4);
    private int total;

    Order(int maxUuids) {
        this.maxUuids = maxUuids;
    }

    /**
     * Adds a batch.
     *
     * @throws RefusedException when the UUIDs of all batches together would be more than allowed
     */
    void add(Batch batch) throws RefusedException {
        if (batch.count() > maxUuids - total) {
            throw new RefusedException(Fault.TOO_MANY_UUIDS, "a request may ask for at most " + maxUuids + " UUIDs");
        }
        total += batch.count();
        batches.add(batch);
    }

    List<Batch> batches() {
        return batches;
    }

    /** The number of UUIDs in all batches. */
    int total() {
        return total;
    }
}
