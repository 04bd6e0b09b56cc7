package dev.millrace.load.scenario;

import dev.millrace.load.http.AnswerCheck;
import dev.millrace.load.http.Failure;
import dev.millrace.load.http.ResponseHead;
import dev.millrace.load.http.Target;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What files of a catalogue hold, so that any part of them can be checked: each is downloaded whole once, is believed
 * only if its MD5 is the catalogue's, and is kept in a temporary file that is mapped and deleted at once. Immutable;
 * safe for use by any thread.
 */
public final class Truth {

    private final Map<String, MappedByteBuffer> contents;

    private Truth(Map<String, MappedByteBuffer> contents) {
        this.contents = contents;
    }

    /**
     * Downloads each file.
     *
     * @param base          the URL that the names are below
     * @param headers       further request fields
     * @param timeoutMillis bound on connecting, and on waiting for an answer and for its next bytes
     * @throws IOException if a file cannot be had or is not the one of the catalogue; the message is for people
     */
    public static Truth of(Target base, List<CatalogFile> files, List<String> headers, int timeoutMillis)
            throws IOException {
        Map<String, MappedByteBuffer> contents = new HashMap<>();
        for (CatalogFile file : files) {
            if (!contents.containsKey(file.name())) {
                if (file.md5() == null) {
                    throw new IOException("the catalogue gives no MD5 of " + file.name()
                            + ", so that parts of it cannot be checked");
                }
                contents.put(file.name(), download(base, file, headers, timeoutMillis));
            }
        }
        return new Truth(Map.copyOf(contents));
    }

    private static MappedByteBuffer download(Target base, CatalogFile file, List<String> headers, int timeoutMillis)
            throws IOException {
        if (file.size() > Integer.MAX_VALUE) {
            throw new IOException(file.name() + " is too large: parts are checked of files below 2 GiB");
        }
        Path copy = Files.createTempFile("loadclient-truth", ".bin");
        try (FileChannel channel = FileChannel.open(copy, StandardOpenOption.READ, StandardOpenOption.WRITE,
                StandardOpenOption.DELETE_ON_CLOSE)) {
            DownloadCheck check = new DownloadCheck(Verify.MD5, 1);
            check.expect(file);
            Fetch.get(base.resolve(FileWorkload.encoded(file.name())), headers, new Keeping(check, channel),
                    timeoutMillis);
            return channel.map(FileChannel.MapMode.READ_ONLY, 0, file.size());
        } catch (IOException | UncheckedIOException e) {
            throw new IOException("cannot learn what " + file.name() + " holds: " + e.getMessage(), e);
        }
    }

    /** Whether these bytes stand at that place of the file. */
    boolean matches(CatalogFile file, long position, byte[] bytes, int offset, int count) {
        MappedByteBuffer content = contents.get(file.name());
        if (position + count > content.limit()) {
            return false;
        }
        return content.slice((int) position, count).mismatch(ByteBuffer.wrap(bytes, offset, count)) < 0;
    }

    /** Writes what is checked. */
    private record Keeping(AnswerCheck check, FileChannel channel) implements AnswerCheck {

        @Override
        public void begin(ResponseHead head) {
            check.begin(head);
        }

        @Override
        public void body(byte[] chunk, int offset, int length) {
            check.body(chunk, offset, length);
            try {
                ByteBuffer bytes = ByteBuffer.wrap(chunk, offset, length);
                while (bytes.hasRemaining()) {
                    channel.write(bytes);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public Failure end() {
            return check.end();
        }
    }
}
