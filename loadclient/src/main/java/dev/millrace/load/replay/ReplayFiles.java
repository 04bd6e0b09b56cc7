package dev.millrace.load.replay;

import dev.millrace.load.scenario.Catalog;
import dev.millrace.load.scenario.CatalogFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * The files that all servers of an experiment serve, in a folder of their own. Answers are checked against these files,
 * not against a server's own catalogue. This object owns the folder until {@link #close()}.
 *
 * @param folder  the folder
 * @param catalog names, sizes and digests of the files, possibly none
 */
record ReplayFiles(Path folder, Catalog catalog) implements AutoCloseable {

    /** Writes files that do not compress and have the same content in every run. */
    static ReplayFiles write(Map<String, Long> sizes) throws IOException {
        Path folder = Files.createTempDirectory("replay-files");
        List<CatalogFile> files = new ArrayList<>();
        for (Map.Entry<String, Long> entry : sizes.entrySet()) {
            byte[] content = new byte[Math.toIntExact(entry.getValue())];
            new Random(entry.getKey().hashCode()).nextBytes(content);
            Files.write(folder.resolve(entry.getKey()), content);
            files.add(new CatalogFile(
                    entry.getKey(),
                    content.length,
                    HexFormat.of().formatHex(CatalogFile.newDigest().digest(content))));
        }
        return new ReplayFiles(folder, new Catalog(files));
    }

    byte[] content(String name) throws IOException {
        return Files.readAllBytes(folder.resolve(name));
    }

    @Override
    public void close() throws IOException {
        for (CatalogFile file : catalog.files()) {
            Files.deleteIfExists(folder.resolve(file.name()));
        }
        Files.deleteIfExists(folder);
    }
}
