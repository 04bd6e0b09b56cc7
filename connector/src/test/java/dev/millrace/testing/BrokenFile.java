package dev.millrace.testing;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;

/** A file on a disk that is broken from some place on, or that ends there though its size says otherwise. */
public final class BrokenFile extends FileChannel {
    private final FileChannel file;
    private final long readableBytes;
    private final boolean isEnd;

    /** @param readableBytes where the disk begins to be broken; negative: not even its size can be told */
    public BrokenFile(FileChannel file, long readableBytes) {
        this(file, readableBytes, false);
    }

    private BrokenFile(FileChannel file, long readableBytes, boolean isEnd) {
        this.file = file;
        this.readableBytes = readableBytes;
        this.isEnd = isEnd;
    }

    /** @param readableBytes where the file ends, whatever its size says */
    public static BrokenFile ending(FileChannel file, long readableBytes) {
        return new BrokenFile(file, readableBytes, true);
    }

    private int readable(long bytes, long position) throws IOException {
        if (position >= readableBytes && !isEnd) {
            throw new IOException("Input/output error");
        }
        return (int) Math.max(0, Math.min(bytes, readableBytes - position));
    }

    @Override
    public long transferTo(long position, long count, WritableByteChannel target) throws IOException {
        return file.transferTo(position, readable(count, position), target);
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
        int bytes = readable(target.remaining(), position);
        if (bytes == 0 && target.hasRemaining()) {
            return -1;
        }
        int limit = target.limit();
        target.limit(target.position() + bytes);
        int read = file.read(target, position);
        target.limit(limit);
        return read;
    }

    @Override
    public long size() throws IOException {
        if (readableBytes < 0) {
            throw new IOException("Stale file handle");
        }
        return file.size();
    }

    @Override
    protected void implCloseChannel() throws IOException {
        file.close();
    }

    @Override
    public int read(ByteBuffer target) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long read(ByteBuffer[] targets, int offset, int length) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int write(ByteBuffer source) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long position() {
        throw new UnsupportedOperationException();
    }

    @Override
    public FileChannel position(long position) {
        throw new UnsupportedOperationException();
    }

    @Override
    public FileChannel truncate(long size) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void force(boolean metaData) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long transferFrom(ReadableByteChannel source, long position, long count) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int write(ByteBuffer source, long position) {
        throw new UnsupportedOperationException();
    }

    @Override
    public MappedByteBuffer map(MapMode mode, long position, long size) {
        throw new UnsupportedOperationException();
    }

    @Override
    public FileLock lock(long position, long size, boolean shared) {
        throw new UnsupportedOperationException();
    }

    @Override
    public FileLock tryLock(long position, long size, boolean shared) {
        throw new UnsupportedOperationException();
    }
}
