/**
 * Limits that a connector sets to its peers: how many there may be, and how slow. Begin with
 * {@link dev.millrace.limits.ConnectionSweeper}. It looks at all connections once a second, and ends those whose peers are too slow.
 *
 * <p>Threading: the scheduler's thread looks, and owns what it remembers of a connection. It reads what the connection's threads have
 * written before a volatile write of theirs. It does not wait: another thread runs what may block in an
 * application, unless the system grants none. Acceptors use {@link dev.millrace.limits.ConnectionPermits} alone.
 *
 * <p>Not exported: the settings are those of {@link dev.millrace.connector.LimitedConnector}.
 */
@NullMarked
package dev.millrace.limits;

import org.jspecify.annotations.NullMarked;
