package dev.millrace.files.cache;

import dev.millrace.transfer.FileSource;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Some of the bytes of a file that are sent, to see later whether they are still in it. A log that has grown has them.
 * A file over which a longer or a shorter one was copied hardly ever has.
 *
 * @param end where they end in the file
 * @param bytes the bytes, fewer where the file has ended before
 */
record ContentFingerprint(long end, ByteBuffer bytes) {
    private static final int BYTES = 256;
    /** Beyond what versions have in common, such as the empty beginning of an ISO 9660 image, and read ahead with it. */
    private static final int FIRST_BYTES = 64 * 1024;

    /** Reads some of the first ones that are to be sent. */
    static ContentFingerprint of(long begin, long end, FileSource file) throws IOException {
        return before(Math.min(end, begin + FIRST_BYTES), file);
    }

    /** Reads the last ones before an end. */
    static ContentFingerprint before(long end, FileSource file) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(end, BYTES));
        long begin = end - bytes.capacity();
        file.call(channel -> channel.read(bytes, begin));
        return new ContentFingerprint(end, bytes.flip());
    }
}
