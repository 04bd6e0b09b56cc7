/**
 * Limits that a connector sets to its peers: how many there may be, and how slow. {@link dev.millrace.limits.ConnectionSweeper} is the
 * entry. It looks at all connections once a second, and ends what peers are too slow with.
 *
 * <p>Threading: the scheduler's thread looks, and owns what it remembers of a connection. It reads what the connection's threads have
 * written before a volatile write of theirs. It never waits: what may block in an application runs on a thread of the connector's.
 * {@link dev.millrace.limits.ConnectionPermits} alone is used by the acceptors.
 *
 * <p>Not exported: the settings are those of {@link dev.millrace.connector.LimitedConnector}.
 */
@NullMarked
package dev.millrace.limits;

import org.jspecify.annotations.NullMarked;
