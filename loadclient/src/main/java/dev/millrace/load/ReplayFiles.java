package dev.millrace.load;

import dev.millrace.load.scenario.Catalog;
import dev.millrace.load.scenario.CatalogFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * The files that all servers of an experiment serve, in a folder of their own, and what they hold: answers are checked
 * against these, not against what a server says of itself. Owns the folder until {@link #close()}.
 *
 * @param folder  where they are
 * @param catalog names, sizes and digests; without files it lists none
 */
record ReplayFiles(Path folder, Catalog catalog) implements AutoCloseable {

    /** Writes files that do not compress and are the same in every run. */
    static ReplayFiles write(Map<String, Long> sizes) throws IOException {
        Path folder = Files.createTempDirectory("replay-files");
        List<CatalogFile> files = new ArrayList<>();
        for (Map.Entry<String, Long> entry : sizes.entrySet()) {
            byte[] content = new byte[Math.toIntExact(entry.getValue())];
            new Random(entry.getKey().hashCode()).nextBytes(content);
            Files.write(folder.resolve(entry.getKey()), content);
            files.add(new CatalogFile(entry.getKey(), content.length, md5(content)));
        }
        return new ReplayFiles(folder, new Catalog(files));
    }

    byte[] content(String name) throws IOException {
        return Files.readAllBytes(folder.resolve(name));
    }

    private static String md5(byte[] content) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("MD5").digest(content));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has MD5", e);
        }
    }

    @Override
    public void close() throws IOException {
        for (CatalogFile file : catalog.files()) {
            Files.deleteIfExists(folder.resolve(file.name()));
        }
        Files.deleteIfExists(folder);
    }
}
