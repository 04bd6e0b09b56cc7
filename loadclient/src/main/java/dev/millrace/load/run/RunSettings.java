package dev.millrace.load.run;

import java.net.InetAddress;
import java.time.Duration;
import java.util.List;

/**
 * What all cells of a run have in common.
 *
 * @param warmup             load before the measured window, its figures are thrown away
 * @param duration           length of the window
 * @param requests           requests after which the window ends earlier, 0 for no such end
 * @param timeout            bound on connecting, and on waiting for an answer; a download's is on waiting for its next bytes
 * @param drain              how long exchanges begun in the window may go on after it
 * @param seed               of everything that is drawn
 * @param receiveBufferBytes SO_RCVBUF, 0 leaves it to the system
 * @param sources            local addresses, clients take turns; empty leaves it to the system
 */
public record RunSettings(Duration warmup, Duration duration, long requests, Duration timeout, Duration drain, long seed,
                          int receiveBufferBytes, List<InetAddress> sources) {
}
