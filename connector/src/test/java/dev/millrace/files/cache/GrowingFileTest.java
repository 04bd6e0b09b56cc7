package dev.millrace.files.cache;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A log that is written to faster than it is opened has no version that lasts. It can be sent all the same: it has what it had. */
class GrowingFileTest {
    @TempDir
    Path directory;

    @Test
    void isNotMistakenForOneThatIsReplaced() throws Exception {
        Path log = Files.write(directory.resolve("log"), new byte[1]);
        FileVersion before = FileVersion.of(log);
        assertFalse(before.hasGrownTo(FileVersion.of(log)), "it is the same");
        Files.write(log, new byte[] {'x'}, StandardOpenOption.APPEND);
        FileVersion after = FileVersion.of(log);
        assertTrue(before.hasGrownTo(after));
        assertFalse(after.hasGrownTo(before), "it has become shorter");
        assertNotEquals(before.etag(), after.etag());
        assertFalse(before.hasGrownTo(FileVersion.of(Files.write(directory.resolve("other"), new byte[2]))));
    }

    /** Each look where it lies finds it longer. */
    @Test
    void isKeptWhereItMayBeSentFrom() throws Exception {
        Path log = Files.createFile(directory.resolve("log"));
        OpenFileCache<OpenFile> cache = new OpenFileCache<>(() -> 10, () -> 1000, content -> {});
        cache.setContainment((path, file) -> {
            Files.write(file, new byte[] {'x'}, StandardOpenOption.APPEND);
            return file;
        });
        assertTrue(cache.add("/log", log, null, opened -> opened).isOpen());
        cache.stop();
    }
}
