package dev.millrace.files.cache;

import dev.millrace.transfer.FileFailedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.SeekableByteChannel;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.io.Content;

/**
 * Reads an open file, from some place on, from a position of its own. Owns a count of the file, and gives it back when closed. The
 * place is here because Jetty's source of content, given an open channel, reads all that comes before.
 */
public final class OpenFileChannel implements SeekableByteChannel {
    private final OpenFile file;
    private final long offset;
    private final boolean isContinued;
    private final LongConsumer onRead;
    private final Consumer<FileFailedException> onFailed;
    private long position;
    private long end;
    private boolean closed;

    /**
     * @param offset what is position 0 here, in bytes
     * @param isContinued whether other parts of the file may have been sent before, in the same answer
     * @param onRead is told with each read how many bytes that were
     * @param onFailed is told that the file has failed, to log it
     */
    public OpenFileChannel(
            OpenFile file,
            long offset,
            boolean isContinued,
            LongConsumer onRead,
            Consumer<FileFailedException> onFailed) {
        this.file = file;
        this.offset = offset;
        this.isContinued = isContinued;
        this.onRead = onRead;
        this.onFailed = onFailed;
        this.end = size();
    }

    /**
     * @param length in bytes; -1: to the end of the file
     * @return reads this channel from its beginning, and closes it in the end
     * @throws IndexOutOfBoundsException when there is no such length; this is closed then
     */
    public Content.Source source(ByteBufferPool.Sized pool, long length) {
        try {
            end = length < 0 ? size() : length;
            return Content.Source.from(pool, this, 0, length);
        } catch (Throwable x) {
            close();
            throw x;
        }
    }

    @Override
    public synchronized int read(ByteBuffer target) throws IOException {
        if (closed) {
            throw new ClosedChannelException();
        }
        try {
            file.onBegin(offset + position, offset + end, false);
            int read = file.readSome(target, offset + position);
            if (read < 0 && position < size()) {
                throw file.endedAt(offset + position, file.size());
            }
            if (position > 0 || isContinued) {
                file.checkNotOverwritten(position + read >= end);
            }
            position += Math.max(read, 0);
            onRead.accept(Math.max(read, 0));
            return read;
        } catch (FileFailedException x) {
            onFailed.accept(x);
            throw x;
        }
    }

    @Override
    public int write(ByteBuffer source) {
        throw new NonWritableChannelException();
    }

    @Override
    public synchronized long position() {
        return position;
    }

    @Override
    public synchronized SeekableByteChannel position(long newPosition) {
        position = newPosition;
        return this;
    }

    @Override
    public long size() {
        return file.size() - offset;
    }

    @Override
    public SeekableByteChannel truncate(long size) {
        throw new NonWritableChannelException();
    }

    @Override
    public synchronized boolean isOpen() {
        return !closed;
    }

    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            file.release();
        }
    }
}
