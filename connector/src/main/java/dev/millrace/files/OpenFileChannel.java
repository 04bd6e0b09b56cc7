package dev.millrace.files;

import dev.millrace.transfer.OverwrittenFileException;
import dev.millrace.transfer.UnreadableFileException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.SeekableByteChannel;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads an open file, from some place on, from a position of its own. Owns a count of the file, and gives it back when closed. The
 * place is here because Jetty's source of content, given an open channel, reads all that comes before.
 */
final class OpenFileChannel implements SeekableByteChannel {
    private static final Logger LOG = LoggerFactory.getLogger(OpenFileChannel.class);

    private final OpenFile file;
    private final long offset;
    private long position;
    private boolean closed;

    /** @param offset what is position 0 here, in bytes */
    OpenFileChannel(OpenFile file, long offset) {
        this.file = file;
        this.offset = offset;
    }

    @Override
    public synchronized int read(ByteBuffer target) throws IOException {
        if (closed) {
            throw new ClosedChannelException();
        }
        try {
            int read = file.readSome(target, offset + position);
            if (read < 0 && position < size()) {
                throw new ShortFileException(file.path(), file.size());
            }
            if (position > 0) {
                file.checkNotOverwritten();
            }
            position += Math.max(read, 0);
            file.onPartSent(offset + position);
            return read;
        } catch (ShortFileException | OverwrittenFileException | UnreadableFileException x) {
            LOG.warn("Aborting an answer: {}", x.getMessage());
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
