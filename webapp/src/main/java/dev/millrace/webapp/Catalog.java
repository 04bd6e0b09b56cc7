package dev.millrace.webapp;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystemException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Name, size and MD5 of every file under a folder and its sub-folders, without links. A file is read again only when
 * its size or time has changed. Thread-safe: one thread lists the files while others wait.
 */
final class Catalog {
    /** The name of the catalogue, whose URL hides a file of the same name. */
    static final String NAME = "catalog.json";

    private final Path root;
    private SortedMap<String, Entry> entries = new TreeMap<>();
    private @Nullable String json;

    private record Entry(long size, FileTime modified, String md5) {
        boolean describes(BasicFileAttributes file) {
            return size == file.size() && modified.equals(file.lastModifiedTime());
        }
    }

    Catalog(Path root) {
        this.root = root;
    }

    /** The present catalogue: {@code {"files":[{"name":…,"size":…,"md5":…}]}}, ordered by name. */
    synchronized String json() throws IOException {
        SortedMap<String, Entry> now = list();
        if (json == null || !now.equals(entries)) {
            List<Map<String, Object>> files =
                    now.entrySet().stream().map(Catalog::describe).toList();
            json = Json.of(Map.of("files", files));
            entries = now;
        }
        return json;
    }

    private static Map<String, Object> describe(Map.Entry<String, Entry> file) {
        Map<String, Object> description = new LinkedHashMap<>();
        description.put("name", file.getKey());
        description.put("size", file.getValue().size());
        description.put("md5", file.getValue().md5());
        return description;
    }

    private SortedMap<String, Entry> list() throws IOException {
        SortedMap<String, Entry> now = new TreeMap<>();
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                String name = root.relativize(file).toString().replace('\\', '/');
                if (attributes.isRegularFile() && Files.isReadable(file) && !name.equals(NAME)) {
                    Entry known = entries.get(name);
                    try {
                        now.put(name, known != null && known.describes(attributes) ? known : read(file, attributes));
                    } catch (FileSystemException gone) {
                        return visitFileFailed(file, gone);
                    }
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
                if (file.equals(root)) {
                    throw failure;
                }
                // The file was removed or locked after it was listed, so that it cannot be served either.
                return FileVisitResult.CONTINUE;
            }
        });
        return now;
    }

    private static Entry read(Path file, BasicFileAttributes attributes) throws IOException {
        MessageDigest md5;
        try {
            md5 = MessageDigest.getInstance("MD5");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has MD5", e);
        }
        byte[] block = new byte[1 << 16];
        try (InputStream in = Files.newInputStream(file)) {
            for (int n = in.read(block); n >= 0; n = in.read(block)) {
                md5.update(block, 0, n);
            }
        }
        return new Entry(
                attributes.size(), attributes.lastModifiedTime(), HexFormat.of().formatHex(md5.digest()));
    }
}
