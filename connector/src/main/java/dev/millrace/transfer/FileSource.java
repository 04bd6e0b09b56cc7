package dev.millrace.transfer;

import java.io.IOException;
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

    /** A call that uses the file. One that fails because the channel was closed has done nothing: see sendfile(2), pread(2). */
    @FunctionalInterface
    interface Call {
        long on(FileChannel file) throws IOException;
    }

    /**
     * Makes a call, again if meanwhile an interrupt has closed the channel, of this thread or of another that uses the file. This thread's
     * interrupt, which is meant for the application, is kept from the channel, and stands again afterwards.
     *
     * @return what the call returned
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
                    interrupted |= Thread.interrupted();
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
