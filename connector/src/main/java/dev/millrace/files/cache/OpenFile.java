package dev.millrace.files.cache;

import dev.millrace.transfer.FileSource;
import dev.millrace.transfer.OpenFileBudget;
import dev.millrace.transfer.OverwrittenFileException;
import dev.millrace.transfer.TruncatedFileException;
import dev.millrace.transfer.UnreadableFileException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.http.EtagUtils;
import org.eclipse.jetty.io.Retainable;
import org.eclipse.jetty.util.IO;
import org.eclipse.jetty.util.NanoTime;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One version of a file, open, with its mappings, counted: the caller that opens it holds the first count, every response
 * that sends it another. With the last count the mappings and the descriptor are given back. Thread-safe.
 */
public final class OpenFile extends Retainable.ReferenceCounter implements FileSource {
    private static final Logger LOG = LoggerFactory.getLogger(OpenFile.class);
    /** A buffer holds at most 2 GiB - 1; mappings must begin at whole pages. */
    private static final long PIECE_BYTES = 1L << 30;

    private static final int OPEN_ATTEMPTS = 5;
    /** Between two looks at a file for parts that are not the last ones of their answers. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private static final LinkOption[] AS_A_FILE = {LinkOption.NOFOLLOW_LINKS};

    private final Path path;
    private volatile FileChannel channel;
    private final FileVersion version;
    private final long sizeBytes;
    /** How to look at the file by its path. One that was no link is no longer the same when it has become a link. */
    private final LinkOption[] linkOptions;

    private final String etag;
    private final FileCloser closer;
    private final Mappings mapper;
    private final List<Mappings.Mapping> mappings = new ArrayList<>();
    /** The buffers of the mappings, in the order of the file. */
    private volatile ByteBuffer[] pieces = {};

    private volatile boolean failed;
    private volatile boolean overwritten;
    private volatile @Nullable ContentFingerprint fingerprint;
    private volatile long checkedNanoTime = NanoTime.now();
    private volatile boolean mappingRefused;

    private OpenFile(
            Path path, FileChannel channel, FileVersion version, String etag, FileCloser closer, Mappings mapper) {
        this.path = path;
        this.channel = channel;
        this.version = version;
        this.sizeBytes = version.sizeBytes();
        this.linkOptions = Files.isSymbolicLink(path) ? new LinkOption[0] : AS_A_FILE;
        this.etag = etag;
        this.closer = closer;
        this.mapper = mapper;
    }

    /**
     * Opens a file so that its version is known to be that of the channel.
     *
     * @param path a regular file
     * @return the file, with one count that the caller owns
     */
    public static OpenFile open(Path path, FileCloser closer) throws IOException {
        return open(path, closer, Mappings.OF_PROCESS);
    }

    static OpenFile open(Path path, FileCloser closer, Mappings mapper) throws IOException {
        FileVersion before = FileVersion.of(path);
        for (int i = 1; i <= OPEN_ATTEMPTS; i++) {
            FileChannel channel = openChannel(path);
            // The JDK has no fstat. The channel, and what is computed by path, is of the version that the path had all
            // the time. A log may grow so fast that it has none: then the file is the same, and has what it had.
            boolean isKnown = false;
            FileVersion after;
            try {
                // Jetty's, so that a file keeps its validator when its connector or its servlet is changed.
                String etag = EtagUtils.computeWeakEtag(path);
                after = FileVersion.of(path);
                boolean isSame = after.equals(before);
                isKnown = isSame
                        || (i == OPEN_ATTEMPTS && before.hasGrownTo(after) && channel.size() >= after.sizeBytes());
                if (isKnown) {
                    return new OpenFile(path, channel, after, isSame ? etag : after.etag(), closer, mapper);
                }
            } finally {
                if (!isKnown) {
                    IO.close(channel);
                }
            }
            before = after;
        }
        throw new IOException(path + " changes faster than it can be opened");
    }

    private static FileChannel openChannel(Path path) throws IOException {
        try {
            return FileChannel.open(path, StandardOpenOption.READ);
        } catch (FileSystemException x) {
            // What is not there, or may not be read, has an exception of its own class; no descriptors left has none.
            if (x.getClass() != FileSystemException.class) {
                throw x;
            }
            OpenFileBudget.ofProcess().makeRoom();
            return FileChannel.open(path, StandardOpenOption.READ);
        }
    }

    /** @return the path by which it was opened */
    @Override
    public Path path() {
        return path;
    }

    /** {@inheritDoc} The caller holds a count. */
    @Override
    public FileChannel channel() throws IOException {
        FileChannel current = channel;
        return current.isOpen() ? current : reopen();
    }

    // The path is the only way to the file. One that was deleted or replaced, and then closed by an interrupt, is lost
    // to all answers that send it.
    private synchronized FileChannel reopen() throws IOException {
        if (!canRetain()) {
            throw new ClosedChannelException();
        }
        if (!channel.isOpen()) {
            checkVersion();
            FileChannel again = openChannel(path);
            try {
                checkVersion();
            } catch (IOException x) {
                IO.close(again);
                throw x;
            }
            channel = again;
        }
        return channel;
    }

    private void checkVersion() throws IOException {
        if (!version.equals(FileVersion.of(path))) {
            throw new FileSystemException(path.toString(), null, "changed while it was sent");
        }
    }

    /** Whether no interrupt has closed the channel. */
    public boolean isOpen() {
        return channel.isOpen();
    }

    @Override
    public void onFailed() {
        failed = true;
    }

    /** {@inheritDoc} Reads a few of its bytes, once. The caller holds a count. */
    @Override
    public void onBegin(long begin, long end, boolean isLate) {
        if (fingerprint == null) {
            try {
                fingerprint = ContentFingerprint.of(begin, end, this);
                // Nobody knows then what the header's version had there: a log that has grown is cut off, too.
                if (isLate && version.isWrittenBy(FileVersion.of(path))) {
                    overwritten = true;
                }
            } catch (IOException x) {
                LOG.debug("Nothing to tell {} from what is written over it", this, x);
            }
        }
    }

    /** {@inheritDoc} Costs a system call for a last part; for others one in ten milliseconds, however many send the file. */
    @Override
    public void checkNotOverwritten(boolean isLast) throws OverwrittenFileException {
        long now = NanoTime.now();
        if (!overwritten && (isLast || now - checkedNanoTime >= LOOK_NANOS)) {
            checkedNanoTime = now;
            if (isOverwritten()) {
                overwritten = true;
            }
        }
        if (overwritten) {
            throw new OverwrittenFileException(path);
        }
    }

    // What was deleted or replaced stays as it was while it is open. So do the first bytes of a log that grows.
    private boolean isOverwritten() {
        FileVersion now;
        try {
            now = FileVersion.of(path);
        } catch (IOException gone) {
            LOG.debug("No longer at its path: {}", this, gone);
            return false;
        }
        return version.isWrittenBy(now) && (now.sizeBytes() == size() || isFingerprintChanged());
    }

    private boolean isFingerprintChanged() {
        ContentFingerprint sent = fingerprint;
        try {
            return sent != null && !sent.equals(ContentFingerprint.before(sent.end(), this));
        } catch (IOException x) {
            LOG.debug("Cannot compare {}", this, x);
            return true;
        }
    }

    /** Whether it was found to be unreadable, shorter than its version says, or written over. */
    boolean isChanged() {
        return failed || overwritten;
    }

    public FileVersion version() {
        return version;
    }

    /** A weak validator (RFC 9110 section 8.8.3) of this version. */
    public String etag() {
        return etag;
    }

    /** @return its length in bytes when it was opened */
    public long size() {
        return sizeBytes;
    }

    /**
     * Whether this is still the file at its path, unchanged. One system call: made for every request, where no file is
     * believed to be unchanged.
     */
    boolean isUnchanged() {
        try {
            return version.equals(FileVersion.of(path, linkOptions));
        } catch (IOException gone) {
            return false;
        }
    }

    /** Whether this is still the file at its path, unchanged, and may still be read. */
    boolean isCurrent() {
        try {
            return isOpen() && version.equals(FileVersion.of(path)) && Files.isReadable(path);
        } catch (IOException gone) {
            return false;
        }
    }

    /** Gives a count back; throws IllegalStateException when none is left. */
    @Override
    public boolean release() {
        boolean isLast = super.release();
        if (isLast) {
            closer.close(this::close);
        }
        return isLast;
    }

    private void close() {
        synchronized (mappings) {
            for (Mappings.Mapping mapping : mappings) {
                try {
                    mapping.close();
                } catch (RuntimeException | Error x) {
                    // From JDK 22 on a system call may still use it. The rest is to be given back all the same.
                    LOG.warn("Cannot end a mapping", x);
                }
            }
            mappings.clear();
        }
        IO.close(channel);
    }

    /**
     * Reads until the buffer is full.
     *
     * @param buffer filled from its position to its limit; owned by the caller
     * @throws TruncatedFileException when the file has become shorter
     * @throws UnreadableFileException when the system cannot read it to its end
     */
    public void read(ByteBuffer buffer, long position) throws IOException {
        long at = position;
        while (buffer.hasRemaining()) {
            int read = readSome(buffer, at);
            if (read < 0) {
                throw endedAt(at, size());
            }
            at += read;
        }
    }

    /** @return how many bytes were read into the buffer; -1 at the end of the file */
    int readSome(ByteBuffer buffer, long position) throws UnreadableFileException {
        try {
            return (int) call(file -> file.read(buffer, position));
        } catch (IOException x) {
            onFailed();
            throw new UnreadableFileException(path, position, x);
        }
    }

    /**
     * A token for a part of the file: a slice of a mapping, valid while the caller holds a count.
     *
     * @return a buffer of at most that length: a token ends where its mapping does
     * @throws TruncatedFileException when the file has become shorter than what is to be mapped
     */
    public ByteBuffer token(long position, long bytes) throws IOException {
        int index = (int) (position / PIECE_BYTES);
        int offset = (int) (position % PIECE_BYTES);
        ByteBuffer piece = piece(index);
        int length = (int) Math.min(bytes, piece.capacity() - offset);
        return piece.slice(offset, length);
    }

    /**
     * Whether the system refuses to map the file as far as an end, though the file goes so far. A file system may not
     * know mappings, and their number is limited ({@link Mappings}). Not asked again after a refusal, for before
     * the JDK tells of some it collects garbage, and sleeps. The caller holds a count.
     *
     * @param end in bytes, more than 0
     */
    public boolean isMappingRefused(long end) {
        int index = (int) ((end - 1) / PIECE_BYTES);
        if (mappingRefused || index < pieces.length) {
            return mappingRefused;
        }
        try {
            piece(index);
        } catch (IOException x) {
            // Where an interrupt of this thread has closed the channel, who sends the file maps it yet.
            mappingRefused = !(x instanceof TruncatedFileException || x instanceof ClosedChannelException);
            LOG.debug("Cannot map {}", this, x);
        }
        return mappingRefused;
    }

    private ByteBuffer piece(int index) throws IOException {
        if (index >= pieces.length) {
            synchronized (mappings) {
                while (mappings.size() <= index) {
                    map(mappings.size() * PIECE_BYTES);
                }
                pieces = mappings.stream().map(Mappings.Mapping::buffer).toArray(ByteBuffer[]::new);
            }
        }
        return pieces[index];
    }

    private void map(long begin) throws IOException {
        int bytes = (int) Math.min(PIECE_BYTES, size() - begin);
        try {
            call(file -> {
                mappings.add(
                        closer.isBehind()
                                ? mapper.mapUntilCollected(file, begin, bytes)
                                : mapper.map(file, begin, bytes));
                return bytes;
            });
        } catch (IOException x) {
            // The JDK would have to extend a file that is shorter, and says no more than that it cannot.
            if (call(FileChannel::size) < size()) {
                throw endedAt(begin, size());
            }
            throw x;
        }
    }

    @Override
    public String toString() {
        return "OpenFile[" + path + "," + size() + " bytes,references=" + get() + "]";
    }
}
