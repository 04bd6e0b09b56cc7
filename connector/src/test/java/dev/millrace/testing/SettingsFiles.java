package dev.millrace.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributeView;
import java.util.List;

/** Files for which the settings of file servlets and handlers make a difference, and the requests that show it. */
public final class SettingsFiles {
    /** As {@link Described#answer} takes them. */
    public static final List<String> REQUESTS = List.of(
            "GET /big.bin",
            "HEAD /big.bin",
            "GET /big.bin Range: bytes=10-19",
            "HEAD /big.bin Range: bytes=10-19",
            "GET /big.bin Range: bytes=10-19,30-39",
            "GET /big.bin Range: bytes=200000-",
            "GET /big.bin If-Modified-Since: Sat, 01 Jan 2095 00:00:00 GMT",
            "GET /big.bin/",
            "GET /%62ig.bin?x=y",
            "GET /none",
            "GET /text.txt",
            "GET /text.txt Accept-Encoding: gzip",
            "HEAD /text.txt Accept-Encoding: gzip",
            "GET /text.txt Accept-Encoding: br, gzip",
            "GET /text.txt Accept-Encoding: zstd, gzip;q=0.5, br;q=0.4",
            "GET /text.txt If-None-Match: {etag}",
            "GET /text.txt If-Match: \"other\"",
            "GET /image.svgz",
            "GET /packed.gzz",
            "GET /jetty-dir.css",
            "GET /matched/own.css",
            "GET /welcome?x=y",
            "GET /welcome/",
            "GET /welcome/ Range: bytes=0-1",
            "HEAD /welcome/",
            "GET /matched/",
            "GET /exact/",
            "GET /path/big.bin",
            "GET /inside.bin",
            "OPTIONS /big.bin",
            "POST /big.bin Content-Length: 0");

    private SettingsFiles() {}

    // Of the file's age, for Jetty tells the time of the link: see docs/file-serving.md.
    private static void link(Path link, Path file) throws IOException {
        Files.createSymbolicLink(link, file);
        Files.getFileAttributeView(link, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                .setTimes(Files.getLastModifiedTime(file), null, null);
    }

    /** Makes a root of such files, with another file beside it that {@code outside.bin} leads to. */
    public static Path write(Path directory) throws IOException {
        Path root = Files.createDirectory(directory.resolve("root"));
        for (String child : List.of("welcome", "matched", "exact", "path")) {
            Files.createDirectory(root.resolve(child));
        }
        TestFiles.write(root, "big.bin", 100_000);
        TestFiles.write(root.resolve("path"), "big.bin", 90_000);
        TestFiles.write(directory, "beside.bin", 100);
        link(root.resolve("outside.bin"), directory.resolve("beside.bin"));
        link(root.resolve("inside.bin"), root.resolve("big.bin"));
        for (String text : List.of(
                "text.txt",
                "text.txt.gz",
                "text.txt.br",
                "text.txt.packed",
                "image.svgz",
                "packed.gzz",
                "own.css",
                "file.own",
                "welcome/index.html",
                "welcome/home.html",
                "matched/listed.txt",
                "exact/listed.txt")) {
            Files.writeString(root.resolve(text), "This is " + text + ".");
        }
        return root;
    }
}
