package dev.millrace.load.cli;

import static dev.millrace.load.cli.UsageException.require;

import dev.millrace.load.scenario.CatalogFile;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;

/** Reads files that the user has named. Stateless. */
final class InputFile {

    private InputFile() {}

    /**
     * The content of a file.
     *
     * @throws UsageException if it is missing, or cannot be read
     */
    static byte[] bytes(Path file) {
        require(Files.isRegularFile(file), "no such file: " + file);
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw unreadable(file, e);
        }
    }

    /**
     * The lines of a text.
     *
     * @param option names the file, for errors
     * @throws UsageException if it is missing, cannot be read, or is not in UTF-8
     */
    static List<String> lines(String option, Path file) {
        require(Files.isRegularFile(file), "no such file: " + file);
        try {
            return Files.readAllLines(file);
        } catch (CharacterCodingException e) {
            throw new UsageException(option + ": " + file + " is not in UTF-8", e);
        } catch (IOException e) {
            throw unreadable(file, e);
        }
    }

    /** A content in a few words: its length, and what tells it from others. */
    static String describe(byte[] content) {
        return content.length + " bytes, MD5 "
                + HexFormat.of().formatHex(CatalogFile.newDigest().digest(content));
    }

    private static UsageException unreadable(Path file, IOException e) {
        return new UsageException("cannot read " + file + ": " + OutputFolder.reason(e), e);
    }
}
