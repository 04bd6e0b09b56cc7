package dev.millrace.load.scenario;

import dev.millrace.load.http.Call;

/** The sequence of calls that one client makes. Used by one thread. */
public interface Script {

    /** The next call. Its check is for one exchange only, since the call after reuses it. */
    Call next();
}
