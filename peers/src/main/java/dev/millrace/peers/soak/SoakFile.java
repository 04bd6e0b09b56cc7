package dev.millrace.peers.soak;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;

/**
 * A file whose bytes tell their file, their version and their place. They are words of eight bytes, each of which is a
 * fixed step more than the one before it. The first word is the number of the file and the version.
 *
 * @param number that no other file has
 * @param name its path below the directory
 * @param baseBytes size of version 0, a multiple of eight; other versions are a few words longer
 * @param change what is done to it meanwhile
 */
record SoakFile(int number, String name, int baseBytes, Change change) {
    /** A multiple of eight. */
    private static final int MOST_MORE_BYTES = 96;

    private static final long STEP = 0x9E3779B97F4A7C15L;

    /** How a file changes. */
    enum Change {
        /** A new version is moved over it. */
        REPLACED,
        /** It is deleted, and comes back with a new version. */
        DELETED,
        /** It is appended to, and truncated; what is appended is what stood there before. */
        GROWING
    }

    /**
     * Whether an answer with this file may fail so: it may be cut off where the file is deleted or truncated at times.
     * An answer that does not come, or does not go on, is never right. Neither is a connection that nobody accepts.
     */
    boolean mayBeCutBy(IOException failure) {
        return change != Change.REPLACED
                && !(failure instanceof SocketTimeoutException)
                && !(failure instanceof HttpTimeoutException)
                && !(failure instanceof ConnectException);
    }

    /** The size of a version. */
    int bytes(int version) {
        return baseBytes + version * Long.BYTES % (MOST_MORE_BYTES + Long.BYTES);
    }

    /** The bytes of a version between two positions, both multiples of eight. */
    byte[] content(int version, int begin, int end) {
        ByteBuffer content = ByteBuffer.allocate(end - begin);
        for (long at = begin; at < end; at += Long.BYTES) {
            content.putLong(word(version, at));
        }
        return content.array();
    }

    private long word(int version, long position) {
        return ((long) number << Integer.SIZE | version) + position / Long.BYTES * STEP;
    }

    /** A byte that is none of this file's, or of another version than the bytes before it. */
    static class WrongByteException extends Exception {
        private static final long serialVersionUID = 1L;

        private WrongByteException(String message) {
            super(message);
        }
    }

    /**
     * A word of zeros in a file that is truncated at times. The kernel clears the part of a page behind the new end.
     * A socket refers to that page until its peer has read it (sendfile(2)).
     */
    static final class ClearedWordException extends WrongByteException {
        private static final long serialVersionUID = 1L;

        private ClearedWordException(String message) {
            super(message);
        }
    }

    /** Checks the bytes of one answer as they come. Not thread-safe. */
    final class Check {
        private final ByteBuffer word = ByteBuffer.allocate(Long.BYTES);
        private long position;
        private int version = -1;

        /**
         * A check of one answer.
         *
         * @param position where the answer's bytes begin in the file, a multiple of eight
         */
        Check(long position) {
            this.position = position;
        }

        /** Checks the next bytes, and takes them from the buffer. */
        void accept(ByteBuffer bytes) throws WrongByteException {
            while (word.position() > 0 && bytes.hasRemaining()) {
                word.put(bytes.get());
                if (!word.hasRemaining()) {
                    accept(word.getLong(0));
                    word.clear();
                }
            }
            while (bytes.remaining() >= Long.BYTES) {
                accept(bytes.getLong());
            }
            while (bytes.hasRemaining()) {
                word.put(bytes.get());
            }
        }

        private void accept(long found) throws WrongByteException {
            if (found == 0 && change == Change.GROWING) {
                throw new ClearedWordException("zeros in " + name + " at " + position);
            }
            if (version < 0) {
                long first = found - position / Long.BYTES * STEP;
                if (first >>> Integer.SIZE != number || (int) first < 0) {
                    throw new WrongByteException("not a byte of " + name + " at " + position);
                }
                version = (int) first;
            } else if (found != word(version, position)) {
                throw new WrongByteException(
                        "%016x is not of version %d of %s at %d".formatted(found, version, name, position));
            }
            position += Long.BYTES;
        }

        /**
         * Ends the check, when all bytes of the answer were accepted.
         *
         * @param wholeBytes the size of the file by the answer
         */
        void end(long wholeBytes) throws WrongByteException {
            if (change != Change.GROWING && wholeBytes != bytes(version)) {
                throw new WrongByteException(
                        "version " + version + " of " + name + " has " + bytes(version) + " bytes, not " + wholeBytes);
            }
        }
    }
}
