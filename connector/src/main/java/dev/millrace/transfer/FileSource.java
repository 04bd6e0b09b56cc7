package dev.millrace.transfer;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;

/**
 * An open file that several threads send or read at the same time. The JDK closes a file channel when a thread is interrupted that
 * uses it, for all who use it ({@link java.nio.channels.InterruptibleChannel}); the others open it again, and go on.
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

    /** Told when the file turns out to be shorter than a region of it: whoever keeps it open may want to open it anew. */
    default void onTruncated() {
    }

    /**
     * Told when a part was sent and others are to follow, so that they can be told from those of another version.
     *
     * @param end where the part ends in the file, in bytes
     */
    default void onPartSent(long end) {
    }

    /**
     * Called before the last part of what is sent of the file, if there were others.
     *
     * @throws OverwrittenFileException when it was written over since it was opened: what was sent before was of another version
     */
    default void checkNotOverwritten() throws OverwrittenFileException {
    }

    /** A call that uses the file. */
    @FunctionalInterface
    interface Call {
        long on(FileChannel file) throws IOException;
    }

    /**
     * Makes a call, again if meanwhile an interrupt of another thread that uses the file has closed the channel: then it has done
     * nothing, for one that has done something returns all the same. An interrupt that this thread has already, which is meant for the
     * application, is kept from the channel, and stands again afterwards. One that comes during the call fails it: the JDK says so
     * also of a call that has done something ({@code AbstractInterruptibleChannel.end}), and to repeat it would send bytes twice.
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
                } catch (ClosedByInterruptException x) {
                    throw x;
                } catch (ClosedChannelException x) {
                    FileChannel again = channel();
                    if (again == file) {
                        throw x;
                    }
                    file = again;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
