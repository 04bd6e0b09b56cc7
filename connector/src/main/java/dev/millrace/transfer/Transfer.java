package dev.millrace.transfer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.util.NanoTime;

/**
 * A region on its way: turn after turn, as its algorithm says. From announcement to withdrawal; one thread at a time.
 */
public final class Transfer {
    private final FileRegion region;
    private final TransferAlgorithm algorithm;
    private final Course course;
    private final TransferStatistics statistics;
    private final TransferEvent event = TransferEvent.begun();
    private int turns;
    private int selectorBytes;
    private Throwable failure;

    /** How a turn ended. */
    public enum Step {
        /** Everything is sent. */
        DONE,
        /** Others have their turn now, though the socket takes more. */
        OVER,
        /** The socket takes no more for now. */
        FULL
    }

    /** The end point, as a turn needs it. */
    public interface Peer {
        /** @param bytes what the kernel has just taken; counts as activity */
        void onTransferred(int bytes);

        /** @return whether other transfers wait for a worker */
        boolean isCrowded();

        /** @return whether {@link #awaitWritable} may be called: a wait may take what the system has no more of */
        boolean canWait();

        /**
         * Waits until the socket takes more, or somebody ends the wait.
         *
         * @param millis the longest wait; 0: without limit
         * @return false when the time was over before
         * @throws IOException when the connection was closed, or the write cancelled, meanwhile
         */
        boolean awaitWritable(int millis) throws IOException;
    }

    /**
     * @param region what to send; stays owned by whoever announced it
     * @param algorithm the connector's; the region's own goes before
     * @param statistics counts
     */
    public Transfer(FileRegion region, TransferAlgorithm algorithm, TransferStatistics statistics) {
        this.region = region;
        this.algorithm = region.algorithm() == null ? algorithm : region.algorithm();
        this.course = this.algorithm.newCourse();
        this.statistics = statistics;
        statistics.onAnnounce();
    }

    /** @return what is sent */
    public FileRegion region() {
        return region;
    }

    /**
     * Sends what the thread that writes the response may send by itself, without waiting.
     *
     * @param socket of the JDK, not blocking
     * @param peer told of progress
     * @return never {@code FULL} with nothing tried: an algorithm that leaves all to the workers answers {@code OVER}
     * @throws IOException when the file or the socket fails; the connection must then be closed
     */
    public Step begin(SocketChannel socket, Peer peer) throws IOException {
        int bytes = course.firstBytes();
        return bytes == 0 && region.remaining() > 0 ? Step.OVER : turn(socket, bytes, null, peer);
    }

    /**
     * Whether the thread that writes the response is to write the region's token with the header before it, by one call. The rest,
     * if any, is sent as ever.
     *
     * @param buffers the buffers of one write
     * @param token the token's index among them
     * @throws IOException see {@link FileRegion#goesWith}
     */
    public boolean beginsWith(ByteBuffer[] buffers, int token) throws IOException {
        try {
            return region.goesWith(buffers, token);
        } catch (IOException x) {
            failure = x;
            throw x;
        }
    }

    /** @return whether the rest lies in memory, as far as the system tells */
    public boolean isLoaded() {
        return region.isLoaded(region.remaining());
    }

    /** @return the most bytes that {@link #begin} sends */
    public int beginBytes() {
        return Math.min(course.firstBytes(), region.remaining());
    }

    /** @return whether {@link #begin} would need the disk, as far as the system tells */
    public boolean beginsOnDisk() {
        return !region.isLoaded(course.firstBytes());
    }

    /**
     * Sends one turn; may wait, when the algorithm is a blocking one.
     *
     * @param socket of the JDK, not blocking
     * @param peer told of progress, and asked to wait
     * @return how the turn ended
     * @throws IOException when the file or the socket fails; the connection must then be closed
     */
    public Step turn(SocketChannel socket, Peer peer) throws IOException {
        return turn(socket, course.turnBytes(), peer, peer);
    }

    /**
     * @return whether the selector's own thread is to take the next turn: a short one, which does not need the disk, as
     *     far as the system tells
     */
    public boolean suitsSelector() {
        selectorBytes = course.selectorBytes(NanoTime.now());
        return selectorBytes > 0 && region.isLoaded(selectorBytes);
    }

    /**
     * Sends the turn that suits the selector, without waiting.
     *
     * @param socket of the JDK, not blocking
     * @param peer told of progress
     * @return how the turn ended
     * @throws IOException when the file or the socket fails; the connection must then be closed
     */
    public Step selectorTurn(SocketChannel socket, Peer peer) throws IOException {
        statistics.onSelectorTurn();
        return turn(socket, selectorBytes, null, peer);
    }

    private Step turn(SocketChannel socket, int bytes, Peer waiter, Peer peer) throws IOException {
        onTurn();
        try {
            int left = bytes;
            while (region.remaining() > 0) {
                if (left == 0) {
                    if (!course.keepsWorker(isCrowded(waiter))) {
                        return Step.OVER;
                    }
                    left = bytes;
                }
                int want = Math.min(Math.min(left, TransferAlgorithm.TURN_BYTES), region.remaining());
                int sent = region.transferTo(socket, want);
                if (sent > 0) {
                    left -= sent;
                    statistics.onTransferred(sent);
                    peer.onTransferred(sent);
                }
                // Less than asked for means full: asking again would cost a system call to hear 0.
                if (sent < want && !awaitRoom(sent, waiter)) {
                    return Step.FULL;
                }
            }
            return Step.DONE;
        } catch (TruncatedFileException | OverwrittenFileException | UnreadableFileException x) {
            failure = x;
            throw x;
        } catch (IOException x) {
            failure = x;
            throw new EofException(x);
        }
    }

    private static boolean isCrowded(Peer waiter) {
        return waiter == null || waiter.isCrowded();
    }

    /** Waits for the peer if this is the thread and the algorithm to do so; false: the selector will tell. */
    private boolean awaitRoom(int sent, Peer waiter) throws IOException {
        int millis = course.waitMillis(sent, NanoTime.now(), isCrowded(waiter));
        if (waiter == null || millis == 0 || !waiter.canWait()) {
            return false;
        }
        boolean writable = waiter.awaitWritable(Math.max(0, millis));
        // A wait without limit may have been ended for somebody who has had the gate before.
        return writable || millis == Course.UNLIMITED;
    }

    /** Counts a turn. For connections whose own thread sends. */
    public void onTurn() {
        turns++;
        statistics.onTurn();
    }

    /** Notes why the file or the socket failed. For connections whose own thread sends. */
    public void onFailure(IOException cause) {
        failure = cause;
    }

    /** @return the bytes after which a connection with a thread of its own lets others have their turn; 0: never */
    public int blockingTurnBytes() {
        return algorithm.blockingTurnBytes();
    }

    /** The region was withdrawn: counts the end, once. */
    public void end() {
        boolean complete = region.remaining() == 0;
        statistics.onEnd(complete);
        event.ended(region, algorithm, turns, complete ? null : failure);
    }

    @Override
    public String toString() {
        return "Transfer[" + region + "," + algorithm + ",turns=" + turns + "]";
    }
}
