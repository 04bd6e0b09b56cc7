package dev.millrace.transfer;

import java.io.IOException;
import org.eclipse.jetty.io.EndPoint;

/**
 * An end point that sends file regions by the kernel.
 *
 * <p>The application announces a region before it writes the region's token, and withdraws it when that write has
 * completed. Between the two, a flush that meets the token sends the region. One region can be announced at a time, as
 * HTTP/1.1 has one response at a time on a connection.
 */
public interface TransferEndPoint extends EndPoint {
    /**
     * Announces a region, in place of any that was announced before. Called by the thread that is about to write its token.
     *
     * @param region the region; stays owned by the caller
     */
    void announce(FileRegion region);

    /**
     * Withdraws a region. Called when the write of its token has completed or failed, and no thread sends from it.
     *
     * @param region the one that was announced; of any other, nothing is withdrawn
     */
    void withdraw(FileRegion region);

    /** @return the counters that this end point's connector keeps; never null */
    TransferStatistics getTransferStatistics();

    /** Counts and logs that a file failed, if that is why a write has: then it is no fault of the peer's. */
    default void tellFailure(IOException cause) {
        if (cause instanceof TruncatedFileException) {
            getTransferStatistics().onTruncated();
        }
        if (cause instanceof FileFailedException failed) {
            failed.log(this);
        }
    }
}
