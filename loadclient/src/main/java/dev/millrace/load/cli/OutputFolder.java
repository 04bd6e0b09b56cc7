package dev.millrace.load.cli;

import static dev.millrace.load.cli.UsageException.require;

import dev.millrace.load.http.Failure;
import dev.millrace.load.report.ReportFolder;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Prepares the folder for results before the run, so that no measurement is lost at its end. Stateless. */
final class OutputFolder {

    private OutputFolder() {}

    /**
     * Creates the folder if it is missing.
     *
     * @throws UsageException if that fails, or no file can be created in it
     */
    static void prepare(Path folder) {
        try {
            Files.createDirectories(folder);
            // A file is created, because permissions do not show that a file system is read-only or the user is root.
            Files.delete(Files.createTempFile(folder, "loadclient", null));
        } catch (IOException e) {
            throw unwritable(folder, e);
        }
    }

    /**
     * Creates the folder of a file if it is missing.
     *
     * @throws UsageException if that fails, or the file cannot be written
     */
    static void prepareFor(Path file) {
        prepare(file.toAbsolutePath().resolveSibling(""));
        if (Files.isDirectory(file)) {
            throw new UsageException("cannot write to " + file + ": it is a folder");
        }
        if (Files.exists(file) && !Files.isWritable(file)) {
            throw new UsageException("cannot write to " + file + ": permission denied");
        }
    }

    /**
     * Refuses a file that two options name: it would hold what is written last.
     *
     * @param files  those that the user has named, by their options
     * @param folder the folder of the report, whose files are no others; null for none
     */
    static void requireDifferent(Map<String, Path> files, @Nullable Path folder) {
        Map<Path, String> known = new HashMap<>();
        files.forEach((option, file) -> {
            Path place = place(file);
            require(
                    folder == null
                            || !place(folder).equals(place.getParent())
                            || !ReportFolder.NAMES.contains(String.valueOf(place.getFileName())),
                    option + " names a file of --output: " + file);
            String other = known.put(place, option);
            require(other == null, other + " and " + option + " name one file: " + file);
        });
    }

    /** Whether two names are those of one file, which may be missing. */
    static boolean isSame(Path file, Path other) {
        return place(file).equals(place(other));
    }

    /** The file's place without links, as far as it exists. */
    private static Path place(Path file) {
        Path place = file.toAbsolutePath().normalize();
        Path name = place.getFileName();
        Path parent = place.getParent();
        try {
            return place.toRealPath();
        } catch (IOException ignored) {
            // It is still to be written, and its folder too, perhaps.
            return name == null || parent == null ? place : place(parent).resolve(name);
        }
    }

    /**
     * Writes a file that the user has named.
     *
     * @throws UsageException if that fails
     */
    static void write(Path file, String text) {
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            throw unwritable(file, e);
        }
    }

    /** The exception for a file or folder that the user has named and that cannot be written. */
    static UsageException unwritable(Path path, IOException e) {
        return new UsageException("cannot write to " + path + ": " + reason(e), e);
    }

    /** The reason in words: the messages of these exceptions of the JDK hold the file's name only. */
    static String reason(IOException e) {
        if (e instanceof NoSuchFileException) {
            return "no such file or directory";
        }
        if (e instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (e instanceof FileAlreadyExistsException) {
            return "it is not a folder";
        }
        return e instanceof FileSystemException failure && failure.getReason() != null
                ? failure.getReason()
                : Failure.firstLine(e);
    }
}
