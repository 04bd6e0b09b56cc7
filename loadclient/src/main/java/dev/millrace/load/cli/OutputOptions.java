package dev.millrace.load.cli;

import static dev.millrace.load.cli.UsageException.require;

import dev.millrace.load.report.OutputFormat;
import dev.millrace.load.run.Progress;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options for the output: the results' folder and formats, and the progress on standard error. */
final class OutputOptions {

    @Option(
            names = {"-o", "--output"},
            paramLabel = "DIR",
            description =
                    "Folder for run.json, report.html, cells.txt, cells.csv, latency.hlog and hgrm files (default: "
                            + "none).")
    private @Nullable Path output;

    @Option(
            names = "--format",
            split = ",",
            paramLabel = "text|json|csv|html|hlog|hgrm",
            description = "What --output writes (default: all of these).")
    private @Nullable Set<OutputFormat> formats;

    @Mixin
    private BuildFiles buildFiles;

    @Option(names = "--latency", description = "Prints the percentiles of latency below each cell's line.")
    private boolean latency;

    @Option(
            names = "--progress",
            defaultValue = "auto",
            paramLabel = "auto|bar|plain|none",
            description = "Progress on standard error; auto: a bar on a terminal, else a line per second "
                    + "(default: ${DEFAULT-VALUE}).")
    private Progress.Style progress;

    @Option(
            names = {"-q", "--quiet"},
            description = "Prints results and errors only: no progress, no notes, no name of the report.")
    private boolean quiet;

    /** Checks the values that picocli does not check. */
    void validate() {
        require(formats == null || output != null, "--format takes --output");
    }

    /** The folder for results; null if the user wants none. */
    @Nullable Path folder() {
        return output;
    }

    /** Creates the folder for results, if the user wants one, and those of the files for build servers and collectors. */
    void prepareFolder() {
        if (output != null) {
            OutputFolder.prepare(output);
        }
        buildFiles.files().values().forEach(OutputFolder::prepareFor);
    }

    Set<OutputFormat> formats() {
        return formats == null ? EnumSet.allOf(OutputFormat.class) : formats;
    }

    /** The files for build servers and collectors. */
    BuildFiles buildFiles() {
        return buildFiles;
    }

    /** Whether only results and errors are printed. */
    boolean quiet() {
        return quiet;
    }

    boolean latency() {
        return latency;
    }

    Progress.Style progress() {
        return quiet ? Progress.Style.NONE : progress;
    }
}
