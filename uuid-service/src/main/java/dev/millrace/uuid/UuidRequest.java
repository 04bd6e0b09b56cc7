package dev.millrace.uuid;

import java.util.ArrayList;
import java.util.List;

/** The batches of one request, with a limit on their UUIDs. Used by the thread of that request. */
final class UuidRequest {
    private final int maxUuids;
    private final List<Batch> batches = new ArrayList<>(4);
    private int total;

    UuidRequest(int maxUuids) {
        this.maxUuids = maxUuids;
    }

    /**
     * Adds a batch.
     *
     * @throws RefusedException when all batches together would have more UUIDs than allowed
     */
    void add(Batch batch) throws RefusedException {
        if (batch.count() > maxUuids - total) {
            throw new RefusedException(
                    RefusalReason.TOO_MANY_UUIDS, "a request may ask for at most " + maxUuids + " UUIDs");
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
