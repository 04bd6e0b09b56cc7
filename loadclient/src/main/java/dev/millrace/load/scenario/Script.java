package dev.millrace.load.scenario;

import dev.millrace.load.http.Call;

/** The sequence of calls that one client makes. Used by one thread. */
public interface Script {

    /** The next call; its check is for one exchange and is reused by the call after. */
    Call next();
}
