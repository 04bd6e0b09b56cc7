package dev.millrace.load.report;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.millrace.load.classics.Experiment;
import dev.millrace.load.run.CellResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * All that is known of a run; the content of {@code run.json}. Immutable.
 *
 * @param schemaVersion of this form; readers refuse a newer one
 * @param title         what was run
 * @param started       ISO 8601 time
 * @param command       the command line
 * @param environment   facts about the machine
 * @param plan          settings that all cells have in common
 * @param cells         results, in the order in which they were measured
 * @param experiment    what was repeated; null of other runs
 */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record RunFile(int schemaVersion, String title, String started, String command,
                      Map<String, String> environment, Map<String, String> plan, List<CellResult> cells,
                      Experiment experiment) {

    /** The version written by this program. */
    public static final int SCHEMA_VERSION = 1;
    /** What the file is called. */
    public static final String NAME = "run.json";
    /** The fact of a replay's plan that says which form of the experiment ran. */
    public static final String FORM = "form";
    /** The long form; any other is the short one. */
    public static final String FULL = "full";

    private static final ObjectMapper JSON = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    /** A run that repeats no experiment, written now. */
    public static RunFile of(String title, String started, String command, Map<String, String> environment,
                             Map<String, String> plan, List<CellResult> cells) {
        return new RunFile(SCHEMA_VERSION, title, started, command, environment, plan, cells, null);
    }

    /**
     * Reads a {@code run.json}.
     *
     * @throws IOException if there is none, or it is not one that this program can read; the message is for people
     */
    public static RunFile read(Path file) throws IOException {
        if (!Files.isRegularFile(file)) {
            throw new IOException("cannot read " + file + ": no such file");
        }
        RunFile run;
        try {
            run = JSON.readValue(file.toFile(), RunFile.class);
        } catch (IOException e) {
            throw new IOException("cannot read " + file + ": " + firstLine(e), e);
        }
        if (run.schemaVersion() < 1 || run.cells() == null) {
            throw new IOException(file + " is no run.json");
        }
        if (run.schemaVersion() > SCHEMA_VERSION) {
            throw new IOException(file + " has schema version " + run.schemaVersion() + ", this program reads 1 to "
                    + SCHEMA_VERSION);
        }
        return run;
    }

    /** Writes all forms into a folder, which is made if need be; returns the page. */
    public Path write(Path folder) throws IOException {
        return write(folder, EnumSet.allOf(OutputFormat.class));
    }

    /** Writes some forms into a folder, which is made if need be; returns the page, or the folder if there is none. */
    public Path write(Path folder, Set<OutputFormat> formats) throws IOException {
        Files.createDirectories(folder);
        if (formats.contains(OutputFormat.JSON)) {
            JSON.writeValue(folder.resolve(NAME).toFile(), this);
        }
        Exports.write(this, folder, formats);
        if (!formats.contains(OutputFormat.HTML)) {
            return folder;
        }
        Path page = folder.resolve("report.html");
        Files.writeString(page, new HtmlReport(this).html());
        return page;
    }

    private static String firstLine(IOException e) {
        return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
    }
}
