package dev.millrace.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.util.IO;

/**
 * An open file with its attributes and its mappings, counted: whoever opens it holds the first count, every response
 * that sends it another, and with the last count the mappings and the descriptor are given back. Thread-safe.
 */
final class OpenFile {
    /** A buffer holds at most 2 GiB - 1; mappings must begin at whole pages. */
    private static final long PIECE_BYTES = 1L << 30;

    private final Path path;
    private final FileChannel channel;
    private final BasicFileAttributes attributes;
    private final AtomicInteger references = new AtomicInteger(1);
    private final List<Mappings.Mapping> pieces = new ArrayList<>();

    private OpenFile(Path path, FileChannel channel, BasicFileAttributes attributes) {
        this.path = path;
        this.channel = channel;
        this.attributes = attributes;
    }

    /**
     * @param path a regular file
     * @return the file, with one count that the caller owns
     * @throws IOException when it cannot be opened
     */
    static OpenFile open(Path path) throws IOException {
        FileChannel channel = FileChannel.open(path, StandardOpenOption.READ);
        try {
            return new OpenFile(path, channel, Files.readAttributes(path, BasicFileAttributes.class));
        } catch (IOException | RuntimeException x) {
            channel.close();
            throw x;
        }
    }

    FileChannel channel() {
        return channel;
    }

    long size() {
        return attributes.size();
    }

    /** Whether the file has this size and time. */
    boolean is(long sizeBytes, Instant lastModified) {
        return attributes.size() == sizeBytes && attributes.lastModifiedTime().toInstant().equals(lastModified);
    }

    /** Whether this is still the file at its path, unchanged, and usable. */
    boolean isCurrent() {
        // An interrupt closes a channel for everybody who uses it.
        if (!channel.isOpen()) {
            return false;
        }
        try {
            BasicFileAttributes now = Files.readAttributes(path, BasicFileAttributes.class);
            return now.size() == attributes.size()
                    && now.lastModifiedTime().equals(attributes.lastModifiedTime())
                    && Objects.equals(now.fileKey(), attributes.fileKey());
        } catch (IOException gone) {
            return false;
        }
    }

    /** Takes a count, unless the last one is gone. */
    boolean retain() {
        return references.getAndUpdate(count -> count == 0 ? 0 : count + 1) > 0;
    }

    /** Gives a count back. */
    void release() {
        if (references.decrementAndGet() == 0) {
            close();
        }
    }

    private void close() {
        synchronized (pieces) {
            pieces.forEach(Mappings.Mapping::close);
            pieces.clear();
        }
        IO.close(channel);
    }

    /**
     * A token for a part of the file: a slice of a mapping, valid while the caller holds a count.
     *
     * @param position where the part begins
     * @param bytes how much is wanted
     * @return a buffer of at most that length: a token ends where its mapping does
     */
    ByteBuffer token(long position, long bytes) throws IOException {
        int index = (int) (position / PIECE_BYTES);
        int offset = (int) (position % PIECE_BYTES);
        ByteBuffer piece = piece(index);
        int length = (int) Math.min(bytes, piece.capacity() - offset);
        return piece.slice(offset, length);
    }

    private ByteBuffer piece(int index) throws IOException {
        synchronized (pieces) {
            while (pieces.size() <= index) {
                long begin = pieces.size() * PIECE_BYTES;
                pieces.add(Mappings.map(channel, begin, (int) Math.min(PIECE_BYTES, size() - begin)));
            }
            return pieces.get(index).buffer();
        }
    }

    @Override
    public String toString() {
        return "OpenFile[" + path + "," + size() + " bytes,references=" + references + "]";
    }
}
