package dev.millrace.load.cli;

import dev.millrace.load.run.CellResult;
import java.util.List;

/** The exit codes of all commands. Stateless. */
final class ExitCode {

    /** All cells were measured, and every answer was right. */
    static final int GOOD = 0;
    /** A server gave a wrong answer or none, or this program failed. */
    static final int ERRORS = 1;
    /** The command line was wrong. */
    static final int USAGE = 2;
    /** The figures cannot be trusted. */
    static final int INVALID = 3;

    private ExitCode() {}

    /**
     * The code for results. Errors in valid cells come before invalid cells. Without a cell nothing shows that a server
     * is good.
     */
    static int of(List<CellResult> results) {
        if (results.stream().anyMatch(result -> result.errorCount() > 0 && result.valid())) {
            return ERRORS;
        }
        return !results.isEmpty() && results.stream().allMatch(CellResult::valid) ? GOOD : INVALID;
    }

    /** The code for two runs of one command: errors come before what is invalid, as within a run. */
    static int ofBoth(int one, int other) {
        return one == ERRORS || other == ERRORS ? ERRORS : Math.max(one, other);
    }
}
