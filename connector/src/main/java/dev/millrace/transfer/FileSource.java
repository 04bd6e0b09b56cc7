package dev.millrace.transfer;

import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import org.jspecify.annotations.Nullable;

/**
 * An open file that several threads send or read at the same time. When a thread is interrupted that uses a file channel, the JDK
 * closes the channel for all threads ({@link java.nio.channels.InterruptibleChannel}). The others open it again, and go on.
 *
 * <p>Implementations are thread-safe.
 */
@FunctionalInterface
public interface FileSource {
    /**
     * @return the channel of the file, opened again if it was closed and that is possible; owned by this source
     * @throws IOException when it cannot be opened again, or is another file by now
     */
    FileChannel channel() throws IOException;

    /** @return what events and messages call the file, its path for example; null when unknown */
    default @Nullable Object path() {
        return null;
    }

    /** Told when the file turns out to be unreadable, or shorter than a region of it: a cache may want to open it anew. */
    default void onFailed() {}

    /**
     * Told before the first bytes of a region are sent, so that parts of another version can be recognized.
     *
     * @param begin where the region begins in the file, in bytes
     * @param end where it ends
     * @param isLate whether it may have been written to since it was opened, for the answer had to wait
     */
    default void onBegin(long begin, long end, boolean isLate) {}

    /**
     * Called between two parts of what is sent of the file.
     *
     * @param isLast whether the next part is the last: then the file is looked at now, else it may have been a moment ago
     * @throws OverwrittenFileException when it was written over since it was opened: what was sent before was of another version
     */
    default void checkNotOverwritten(boolean isLast) throws OverwrittenFileException {}

    /** A call that uses the file. */
    @FunctionalInterface
    interface Call {
        /** @return what {@link FileSource#call} is to return, such as a number of bytes */
        long on(FileChannel file) throws IOException;
    }

    /**
     * Makes a call, and makes it again if the interrupt of another thread has closed the channel meanwhile. A call that fails for
     * this reason has done nothing, because the JDK returns what a call has done. An interrupt that this thread had before is
     * meant for the application: it is kept from the channel, and stands again afterwards.
     *
     * @return what the call returned
     * @throws java.nio.channels.ClosedByInterruptException when this thread was interrupted during the call; how much it did is unknown
     * @throws IOException when the call failed for another reason, or the file cannot be opened again
     */
    default long call(Call call) throws IOException {
        boolean interrupted = Thread.interrupted();
        try {
            FileChannel file = channel();
            while (true) {
                try {
                    return call.on(file);
                } catch (ClosedChannelException x) {
                    file = reopened(file, x);
                }
            }
        } finally {
            restore(interrupted);
        }
    }

    /**
     * Makes a call that uses nothing but the file, as {@link #call}. A descriptor may fail though the path leads to a file that can be
     * read, as on a network.
     *
     * @param position what is read, in bytes
     * @throws UnreadableFileException when the system cannot read it; {@link #onFailed} has been told
     */
    default long read(long position, Call call) throws IOException {
        try {
            return call(call);
        } catch (ClosedChannelException x) {
            throw x;
        } catch (IOException x) {
            onFailed();
            throw new UnreadableFileException(path(), position, x);
        }
    }

    /**
     * Called where the file has ended too early: {@link #onFailed} is told.
     *
     * @param position where it has ended, in bytes
     * @param end where it was to end
     * @return that it has become shorter; or that it cannot be read, where its size says otherwise, as in the sysfs of Linux
     */
    default FileFailedException endedAt(long position, long end) throws IOException {
        onFailed();
        long size = read(position, FileChannel::size);
        return size < end
                ? new TruncatedFileException(path(), end, size)
                : new UnreadableFileException(path(), position, new EOFException("end of file"));
    }

    /** Sends bytes of the file by {@link FileChannel#transferTo}: as {@link #call}, without an object for each call. */
    default long transferTo(long position, long count, WritableByteChannel target) throws IOException {
        boolean interrupted = Thread.interrupted();
        try {
            FileChannel file = channel();
            while (true) {
                try {
                    return file.transferTo(position, count, target);
                } catch (ClosedChannelException x) {
                    file = reopened(file, x);
                }
            }
        } finally {
            restore(interrupted);
        }
    }

    // After an interrupt of this thread the call may have sent bytes (AbstractInterruptibleChannel.end): to repeat it
    // would send them twice.
    private FileChannel reopened(FileChannel closed, ClosedChannelException cause) throws IOException {
        if (cause instanceof ClosedByInterruptException) {
            throw cause;
        }
        FileChannel again = channel();
        if (again == closed) {
            throw cause;
        }
        return again;
    }

    private static void restore(boolean interrupted) {
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
