package dev.millrace.webapp;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CatalogTest {
    @TempDir
    Path folder;

    @Test
    void listsSubFoldersByNameWithSizeAndMd5() throws IOException {
        String letter = mayNameFiles("ü") ? "ü" : "u";
        Files.writeString(folder.resolve("b.txt"), "abc");
        Files.writeString(Files.createDirectory(folder.resolve("a")).resolve("\"q\" " + letter + ".txt"), "");
        Files.writeString(folder.resolve(Catalog.NAME), "hidden by the catalogue itself");
        assertEquals("""
            {"files":[\
            {"name":"a/\\"q\\" %s.txt","size":0,"md5":"d41d8cd98f00b204e9800998ecf8427e"},\
            {"name":"b.txt","size":3,"md5":"900150983cd24fb0d6963f7d28e17f72"}]}""".formatted(letter), new Catalog(folder).json());
    }

    /** In the POSIX locale, which a shell without LANG has, the JDK accepts ASCII file names only. */
    private static boolean mayNameFiles(String name) {
        return Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"))
                .newEncoder()
                .canEncode(name);
    }

    @Test
    void anEmptyFolderIsAnEmptyList() throws IOException {
        assertEquals("{\"files\":[]}", new Catalog(folder).json());
    }

    @Test
    void theCatalogueIsMadeAgainOnlyWhenFilesChange() throws IOException {
        Path file = Files.writeString(folder.resolve("b.txt"), "abc");
        Catalog catalog = new Catalog(folder);
        String first = catalog.json();
        assertSame(first, catalog.json());

        Files.writeString(file, "abd");
        Files.setLastModifiedTime(file, FileTime.fromMillis(1));
        assertEquals(
                "{\"files\":[{\"name\":\"b.txt\",\"size\":3,\"md5\":\"4911e516e5aa21d327512e0c8b197616\"}]}",
                catalog.json());

        Files.delete(file);
        assertEquals("{\"files\":[]}", catalog.json());
    }

    @Test
    void filesThatVanishAreLeftOut() throws Exception {
        AtomicBoolean done = new AtomicBoolean();
        Thread other = new Thread(() -> {
            while (!done.get()) {
                try {
                    Files.delete(Files.writeString(folder.resolve("fleeting.txt"), "abc"));
                } catch (IOException x) {
                    throw new UncheckedIOException(x);
                }
            }
        });
        other.start();
        try {
            // This is repeated so often that the file probably vanishes at every point of a listing.
            for (int i = 0; i < 20_000; i++) {
                assertDoesNotThrow(() -> new Catalog(folder).json());
            }
        } finally {
            done.set(true);
            other.join();
        }
    }
}
