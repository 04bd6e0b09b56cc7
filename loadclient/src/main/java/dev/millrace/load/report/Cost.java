package dev.millrace.load.report;

import dev.millrace.load.run.CellResult;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * The unit of the server's CPU time. A gigabyte of files of a few bytes is millions of requests, so that its cost says
 * nothing: small files are counted by requests.
 */
enum Cost {
    /** Microseconds per request. */
    PER_REQUEST("us/req", "\u00b5s per request"),
    /** Milliseconds per 10^9 bytes. */
    PER_GIGABYTE("ms/GB", "ms per GB");

    /** Least mean of a body's bytes that are worth counting. */
    private static final double LEAST_BODY_BYTES = 10_000;

    private final String label;
    private final String words;

    Cost(String label, String words) {
        this.label = label;
        this.words = words;
    }

    /** The unit of the terminal, in ASCII. */
    String label() {
        return label;
    }

    /** The unit of the report. */
    String words() {
        return words;
    }

    /** The unit that suits all of these cells. */
    static Cost of(Collection<CellResult> cells) {
        return !cells.isEmpty() && cells.stream().allMatch(Cost::hasLargeBodies) ? PER_GIGABYTE : PER_REQUEST;
    }

    /** The figure in this unit; null if it is unknown. */
    @Nullable Double of(CellResult cell) {
        return this == PER_GIGABYTE ? cell.serverMillisPerGigabyte() : cell.serverMicrosPerRequest();
    }

    /** Whether a cell downloads files of some size. A cell whose first download has not ended counts too. */
    private static boolean hasLargeBodies(CellResult cell) {
        return cell.countsBytes()
                && cell.counts().bytes() >= LEAST_BODY_BYTES * cell.counts().requests();
    }
}
