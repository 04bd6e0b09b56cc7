package dev.millrace.connector;

import dev.millrace.transfer.TransferPermits;
import java.util.function.LongSupplier;
import org.eclipse.jetty.io.ByteBufferPool;

/**
 * What the connections of a blocking connector share between its start and its stop. Idle connections are many, and each
 * part of one keeps this single reference.
 *
 * @param threads run the connections
 * @param statistics counts what these threads do
 * @param transferPermits limits transfers of files that take turns
 * @param bufferPool the connector's
 * @param readAheadBytes the most bytes that are read ahead of the protocol, per connection
 * @param slowPeerGraceMillis the time in milliseconds for which a peer may take next to nothing
 */
record BioResources(
        ConnectionThreads threads,
        ConnectorStatistics statistics,
        TransferPermits transferPermits,
        ByteBufferPool bufferPool,
        int readAheadBytes,
        LongSupplier slowPeerGraceMillis) {}
