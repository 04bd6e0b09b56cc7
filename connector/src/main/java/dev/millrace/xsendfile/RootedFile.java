package dev.millrace.xsendfile;

import java.nio.file.Path;

/**
 * A file, which need not exist, and the directory that it may not lead out of. The same file below another root is
 * judged, and kept open, by itself.
 *
 * @param root absolute and normal
 * @param file below it by its name, normal too
 */
record RootedFile(Path root, Path file) {
    private static final char SEPARATOR = ':';

    /** @param key what {@link #key} said */
    static RootedFile of(String key) {
        int end = key.indexOf(SEPARATOR) + 1;
        int rootLength = Integer.parseInt(key, 0, end - 1, 10);
        return new RootedFile(Path.of(key.substring(end, end + rootLength)), Path.of(key.substring(end)));
    }

    /** Names both: the length of the root, and the file, which begins with it. */
    String key() {
        return root.toString().length() + String.valueOf(SEPARATOR) + file;
    }

    /**
     * What to log of a name, which a client may have chosen: a line end in it would begin a line of the client's.
     *
     * @return without control characters
     */
    static String printable(Object named) {
        return named.toString().replaceAll("\\p{Cc}", "?");
    }

    /** For the log. */
    @Override
    public String toString() {
        return printable(file);
    }
}
