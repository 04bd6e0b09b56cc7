package dev.millrace.load;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** The folder that results go to, made before there are any: a measurement is not to be lost at its end. Stateless. */
final class OutputFolder {

    private OutputFolder() {
    }

    /**
     * Makes the folder if need be.
     *
     * @throws ParameterException if it cannot be made, or no file in it
     */
    static void prepare(CommandLine line, Path folder) {
        try {
            Files.createDirectories(folder);
            // Permissions do not tell: not those of file systems that are read-only, nor root's.
            Files.delete(Files.createTempFile(folder, "loadclient", null));
        } catch (IOException e) {
            throw unwritable(line, folder, e);
        }
    }

    /** What to throw when a file or folder that the user has named cannot be written. */
    static ParameterException unwritable(CommandLine line, Path path, IOException e) {
        return new ParameterException(line, "cannot write to " + path + ": " + reason(e), e);
    }

    /** The JDK names nothing but the file in these. */
    private static String reason(IOException e) {
        if (e instanceof NoSuchFileException) {
            return "no such file or directory";
        }
        if (e instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (e instanceof FileAlreadyExistsException) {
            return "it is not a folder";
        }
        return e instanceof FileSystemException failure && failure.getReason() != null ? failure.getReason()
                : Units.oneLine(e);
    }
}
