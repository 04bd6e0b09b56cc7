package dev.millrace.transfer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.util.Objects;
import java.util.function.LongConsumer;
import jdk.jfr.EventType;
import org.eclipse.jetty.util.NanoTime;
import org.jspecify.annotations.Nullable;

/**
 * A part of a file that a response promises to send, and the token that stands for it on the way through Jetty.
 *
 * <p>The token is a buffer of the region's length. Jetty's HTTP/1.1 connection hands the very buffer that the
 * application wrote to the end point. So the end point knows the region by the token's identity, and sends it with
 * {@code sendfile(2)} instead of the buffer's bytes. Code that reads the token all the same reads the true bytes.
 *
 * <p>The region borrows the file and the token: their owner keeps both open until the write of the token has
 * completed or failed. Not thread-safe: one flushing thread at a time.
 */
public final class FileRegion {
    private static final int MINCORE_STEP_BYTES = 512 * 1024;
    /** How long a check that the file is not truncated holds. A new one takes half a microsecond, and the write seven. */
    private static final long CHECKED_NANOS = 1_000_000;

    private static final TransferStatistics UNCOUNTED = new TransferStatistics();

    private final FileSource file;
    /** Where the token's index 0 lies in the file: the region begins where the token's position was. */
    private final long position;

    private final ByteBuffer token;
    private final int begin;
    private final boolean withHead;
    private final @Nullable LongConsumer onPartSent;
    /** The region's own; from its announcement on, the connector's where it has none. */
    private @Nullable TransferAlgorithm algorithm;

    private TransferStatistics statistics = UNCOUNTED;
    /** Null when no recording was on at the announcement. */
    private @Nullable TransferEvent event;

    private int turns;
    private @Nullable Throwable failure;
    private long checkedNanoTime;
    private boolean checked;
    private boolean hasSentNothing;

    /** Loaded only where somebody records, or has. */
    private static final class Recorded {
        private static final EventType TRANSFERS = EventType.getEventType(TransferEvent.class);
    }

    /** As the other constructor, of an open channel, which is borrowed. The region has no name, and the connector's algorithm. */
    public FileRegion(FileChannel file, long position, ByteBuffer token) {
        this(() -> file, position, token, null, false, null);
    }

    /**
     * @param file the file, open as long as the region is used
     * @param position where the region begins in the file, in bytes
     * @param token a mapping of the region, whose remaining bytes are the region's; this very object must be written
     * @param algorithm how to transfer this region; null: as the connector says
     * @param withHead whether the region's bytes are to leave with what comes before the token in its write, the header
     *     of a response. They leave from the mapping, as far as the socket takes them at once.
     * @param onPartSent told where each part ends in the file, in bytes, but the last; null where nobody wants to know
     * @throws IllegalArgumentException when the position is less than that of the token
     */
    public FileRegion(
            FileSource file,
            long position,
            ByteBuffer token,
            @Nullable TransferAlgorithm algorithm,
            boolean withHead,
            @Nullable LongConsumer onPartSent) {
        this.file = Objects.requireNonNull(file, "file");
        this.token = Objects.requireNonNull(token, "token");
        this.begin = token.position();
        this.algorithm = algorithm;
        this.withHead = withHead;
        this.onPartSent = onPartSent;
        this.position = position - token.position();
        if (this.position < 0) {
            throw new IllegalArgumentException("negative file position " + position);
        }
    }

    /** @return the buffer that stands for this region; its position tells how much was sent */
    public ByteBuffer token() {
        return token;
    }

    /** @return where the region begins in the file, in bytes */
    public long position() {
        return position + begin;
    }

    /** @return the bytes that were sent so far, in whatever way */
    public int sent() {
        return token.position() - begin;
    }

    /**
     * Called by the end point that sends this region from now on, until {@link #withdrawn}.
     *
     * @param connectors how to transfer it, where the region does not say so itself
     * @param counting counts what is sent
     * @return how it is transferred
     */
    public TransferAlgorithm announced(TransferAlgorithm connectors, TransferStatistics counting) {
        TransferAlgorithm chosen = algorithm == null ? connectors : algorithm;
        algorithm = chosen;
        statistics = counting;
        event = isRecorded() ? TransferEvent.begun() : null;
        counting.onAnnounce();
        return chosen;
    }

    // No event is made to ask whether it is enabled.
    private static boolean isRecorded() {
        return FlightRecorder.IS_PRESENT && jdk.jfr.FlightRecorder.isInitialized() && Recorded.TRANSFERS.isEnabled();
    }

    /** Tells the flight recorder of the end of the transfer, and then counts it. Called once. */
    public void withdrawn() {
        if (event != null) {
            record(event);
        }
        statistics.onEnd(remaining() == 0);
    }

    private void record(TransferEvent ended) {
        ended.end();
        if (ended.shouldCommit()) {
            ended.file = Objects.toString(file.path(), null);
            ended.position = position();
            ended.bytes = sent();
            ended.turns = turns;
            ended.algorithm = String.valueOf(algorithm);
            ended.complete = remaining() == 0;
            ended.failure = ended.complete || failure == null ? null : failure.toString();
            ended.commit();
        }
    }

    /**
     * @return the bytes after which the transfer lets others have their turn where its connection has a thread of its own;
     *     0: it never does
     */
    public int ownThreadTurnBytes() {
        return algorithm == null ? 0 : algorithm.ownThreadTurnBytes();
    }

    /** Counts a turn. */
    public void onTurn() {
        turns++;
        statistics.onTurn();
    }

    /** Counts a turn of a selector's own thread, besides {@link #onTurn}. */
    public void onSelectorTurn() {
        statistics.onSelectorTurn();
    }

    /** @param cause why the file or the socket failed: the first is told to the flight recorder */
    public void failed(IOException cause) {
        failure = failure == null ? cause : failure;
    }

    /**
     * Whether the next bytes lie in memory, as far as the system tells. Linux tells it (mincore(2)) only to a process that may
     * write the file; to others it claims that they do. A question costs as much as sending three pages, and files come into
     * memory in runs. So the last page is asked about, and one in every 512 KiB before it.
     */
    public boolean isLoaded(int bytes) {
        int length = Math.min(bytes, token.remaining());
        if (length == 0) {
            return true;
        }
        if (!(token instanceof MappedByteBuffer mapped)) {
            return false;
        }
        int last = token.position() + length - 1;
        for (long at = token.position(); at < last; at += MINCORE_STEP_BYTES) {
            if (!mapped.slice((int) at, 1).isLoaded()) {
                return false;
            }
        }
        return mapped.slice(last, 1).isLoaded();
    }

    /** @return the index of this region's token among the buffers of a write, by identity; -1 when it is not there */
    @SuppressWarnings("ReferenceEquality") // Another buffer with equal bytes is not the token.
    public int indexIn(ByteBuffer[] buffers) {
        for (int i = 0; i < buffers.length; i++) {
            if (buffers[i] == token) {
                return i;
            }
        }
        return -1;
    }

    /**
     * Whether the next write is to take the token as it is, a buffer of the mapping, after the header that stands before it.
     *
     * @return false also when there is no header before it
     * @throws TruncatedFileException when the file has become shorter than what the response promised: of its last page the
     *     mapping would show zeros
     */
    public boolean leavesWithHeader(ByteBuffer[] buffers, int index) throws IOException {
        if (!withHead || sent() > 0) {
            return false;
        }
        for (int i = 0; i < index; i++) {
            if (buffers[i].hasRemaining()) {
                if (!checked || NanoTime.since(checkedNanoTime) > CHECKED_NANOS) {
                    checkNotTruncated();
                }
                return true;
            }
        }
        return false;
    }

    /** @return the bytes of this region that are not sent yet */
    public int remaining() {
        return token.remaining();
    }

    /**
     * Sends the next bytes of the region by one call of {@link FileChannel#transferTo}, counts them, and advances the token.
     *
     * @param socket where to; it must be a channel of the JDK, for only those are sent to by the kernel
     * @param maxBytes the most to send in this call
     * @return the bytes sent; fewer than asked for, 0 even, when the socket takes no more for now. It is 0 also behind
     *     the end of a file whose size says otherwise, once in a row
     * @throws TruncatedFileException when the file has become shorter than what the response promised
     * @throws OverwrittenFileException when these are the last bytes, and the file was written over after others had been sent
     * @throws UnreadableFileException when the system cannot read it
     * @throws IOException when the file or the socket fails; how much was sent is then unknown, and the connection
     *     must be closed
     */
    public int transferTo(SocketChannel socket, int maxBytes) throws IOException {
        int want = Math.min(maxBytes, token.remaining());
        int sent;
        checkLastPart(want);
        beforeFirst(false);
        try {
            sent = (int) file.transferTo(position + token.position(), want, socket);
        } catch (IOException x) {
            throw x instanceof ClosedChannelException ? x : failureOf(x);
        }
        if (sent > 0) {
            statistics.onTransferred(sent);
            advance(sent);
        } else if (want > 0) {
            checkNotTruncated();
            checkNotAtEnd();
        }
        return sent;
    }

    // The kernel sends nothing into a full socket, nor behind the end of a file whose size says otherwise. When it has
    // sent nothing twice in a row, to read a byte tells: such a file would be asked for more for ever.
    private void checkNotAtEnd() throws IOException {
        if (hasSentNothing) {
            read(ByteBuffer.allocate(1));
        }
        hasSentNothing = true;
    }

    /**
     * The kernel does not say whether the file or the socket failed. To read a byte tells: a broken disk is ours to log, a
     * peer that went away is not.
     *
     * @param failure of a write of the token, or of a transfer
     * @return the file's failure, if it has one
     */
    public IOException failureOf(IOException failure) {
        try {
            read(ByteBuffer.allocate(1));
            return failure;
        } catch (IOException x) {
            // The file may be closed by now, where the write was given up.
            return x instanceof FileFailedException ? x : failure;
        }
    }

    /**
     * Reads the next bytes of the region, without advancing the token.
     *
     * @param target filled from its position, as far as it has room and the region has bytes; owned by the caller
     * @return the bytes read; 0 when there is no room, or the region is sent
     * @throws IOException as {@link #transferTo}
     */
    public int read(ByteBuffer target) throws IOException {
        long at = position + token.position();
        int limit = target.limit();
        target.limit(Math.min(limit, target.position() + token.remaining()));
        int read;
        beforeFirst(false);
        try {
            read = (int) file.read(at, channel -> channel.read(target, at));
        } finally {
            target.limit(limit);
        }
        if (read < 0) {
            checkNotTruncated();
            // The system tells a wrong size. A caller that read nothing here would ask again, for ever.
            throw file.endedAt(at, position + token.limit());
        }
        checkLastPart(read);
        return read;
    }

    /** Called before bytes of the token are written, or the header before them; {@code isLate} is for {@link FileSource#onBegin}. */
    public void beforeFirst(boolean isLate) {
        if (sent() == 0) {
            file.onBegin(position(), position + token.limit(), isLate);
        }
    }

    /** @param bytes sent by other means than {@link #transferTo}; 0 where a write of the token has advanced it already */
    public void advance(int bytes) {
        token.position(token.position() + bytes);
        hasSentNothing = false;
        if (onPartSent != null && sent() > 0 && token.hasRemaining()) {
            onPartSent.accept(position + token.position());
        }
    }

    // A peer must not take parts of two versions for a whole file. Without the last part it knows that it is not whole.
    private void checkLastPart(int bytes) throws IOException {
        if (bytes == token.remaining() && sent() > 0) {
            try {
                file.checkNotOverwritten(true);
            } catch (OverwrittenFileException x) {
                checkNotTruncated();
                throw x;
            }
        }
    }

    /**
     * Checks that the file reaches as far as the region. Called before the header is written, when another answer is
     * still possible, and when the kernel sends nothing. It answers 0 both for a full socket and for a position at or
     * beyond the end of the file.
     *
     * @throws TruncatedFileException when the file has become shorter
     */
    public void checkNotTruncated() throws IOException {
        long end = position + token.limit();
        long size = file.read(position + token.position(), FileChannel::size);
        if (size < end) {
            file.onFailed();
            TruncatedFileException truncated = new TruncatedFileException(file.path(), end, size);
            failed(truncated);
            throw truncated;
        }
        checked = true;
        checkedNanoTime = NanoTime.now();
    }

    @Override
    public String toString() {
        return "FileRegion[" + (position + token.position()) + "+" + token.remaining() + "]";
    }
}
