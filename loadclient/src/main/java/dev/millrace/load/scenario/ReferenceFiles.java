package dev.millrace.load.scenario;

import dev.millrace.load.http.Failure;
import dev.millrace.load.http.ResponseCheck;
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
import org.jspecify.annotations.Nullable;

/**
 * The content of files of a catalogue, with which any part of them is compared. Each file is downloaded once, and must
 * have the MD5 of the catalogue. It is mapped from a temporary file, which is deleted at once. Immutable; safe for use
 * by any thread.
 */
public final class ReferenceFiles {

    private final Map<String, MappedByteBuffer> contents;

    private ReferenceFiles(Map<String, MappedByteBuffer> contents) {
        this.contents = contents;
    }

    /**
     * Downloads each file.
     *
     * @param base    URL that the files' names are relative to
     * @param headers further request fields
     * @param fetch   downloads them
     * @throws IOException if a download fails, or is not the file of the catalogue; the message is for people
     */
    public static ReferenceFiles of(Target base, List<CatalogFile> files, List<String> headers, Fetch fetch)
            throws IOException {
        Map<String, MappedByteBuffer> contents = new HashMap<>();
        for (CatalogFile file : files) {
            if (!contents.containsKey(file.name())) {
                if (file.md5() == null) {
                    throw new IOException(
                            "the catalogue gives no MD5 of " + file.name() + ", so that parts of it cannot be checked");
                }
                contents.put(file.name(), download(base, file, headers, fetch));
            }
        }
        return new ReferenceFiles(Map.copyOf(contents));
    }

    private static MappedByteBuffer download(Target base, CatalogFile file, List<String> headers, Fetch fetch)
            throws IOException {
        if (file.size() > Integer.MAX_VALUE) {
            throw new IOException(file.name() + " is too large: parts are checked of files below 2 GiB");
        }
        Path copy = Files.createTempFile("loadclient-reference", ".bin");
        try (FileChannel channel = FileChannel.open(
                copy, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE)) {
            DownloadCheck check = new DownloadCheck(Verify.MD5, 1);
            check.expect(file);
            fetch.get(base.resolve(FileWorkload.encoded(file.name())), headers, new SavingCheck(check, channel));
            return channel.map(FileChannel.MapMode.READ_ONLY, 0, file.size());
        } catch (IOException | UncheckedIOException e) {
            throw new IOException("cannot learn what " + file.name() + " holds: " + e.getMessage(), e);
        }
    }

    /** Whether the file holds these bytes at that position. */
    boolean matches(CatalogFile file, long position, byte[] bytes, int offset, int count) {
        MappedByteBuffer content = contents.get(file.name());
        if (content == null || position + count > content.limit()) {
            return false;
        }
        return content.slice((int) position, count).mismatch(ByteBuffer.wrap(bytes, offset, count)) < 0;
    }

    /** Writes the body to a file, and passes it to another check. */
    private record SavingCheck(ResponseCheck check, FileChannel channel) implements ResponseCheck {

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
        public @Nullable Failure end() {
            return check.end();
        }
    }
}
