package dev.millrace.load.report;

import dev.millrace.load.http.Failure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;

/** Writes a run in all its formats into a folder. Stateless. */
public final class ReportFolder {

    private static final String TEXT = "cells.txt";
    private static final String CSV = "cells.csv";
    private static final String HLOG = "latency.hlog";
    private static final String HGRM = "hgrm";
    private static final String PAGE = "report.html";

    /** What a report's folder holds. */
    public static final Set<String> NAMES = Set.of(RunFile.NAME, TEXT, CSV, HLOG, HGRM, PAGE);

    private ReportFolder() {}

    /**
     * Writes all formats into a folder, which is created if it is missing. Returns the page.
     *
     * @throws IOException if a file cannot be written; the message is for people
     */
    public static Path write(RunFile run, Path folder) throws IOException {
        return write(run, folder, EnumSet.allOf(OutputFormat.class));
    }

    /**
     * Writes some formats into a folder, which is created if it is missing. Files of an earlier run stay, unless they
     * have the same names.
     *
     * @return the page, or the folder if no page is wanted
     * @throws IOException if a file cannot be written; the message is for people
     */
    public static Path write(RunFile run, Path folder, Set<OutputFormat> formats) throws IOException {
        try {
            return writeAll(run, folder, formats);
        } catch (IOException e) {
            // The JDK does not say on which disk no room is left.
            throw new IOException("cannot write into " + folder + ": " + Failure.firstLine(e), e);
        }
    }

    private static Path writeAll(RunFile run, Path folder, Set<OutputFormat> formats) throws IOException {
        Files.createDirectories(folder);
        if (formats.contains(OutputFormat.JSON)) {
            run.write(folder.resolve(RunFile.NAME));
        }
        if (formats.contains(OutputFormat.TEXT)) {
            Files.writeString(folder.resolve(TEXT), ResultLine.table(run.cells()));
        }
        if (formats.contains(OutputFormat.CSV)) {
            Files.writeString(folder.resolve(CSV), Exports.csv(run.cells()));
        }
        if (formats.contains(OutputFormat.HLOG)) {
            Exports.hlog(run.cells(), folder.resolve(HLOG));
        }
        if (formats.contains(OutputFormat.HGRM)) {
            Exports.hgrm(run.cells(), Files.createDirectories(folder.resolve(HGRM)));
        }
        if (!formats.contains(OutputFormat.HTML)) {
            return folder;
        }
        Path page = folder.resolve(PAGE);
        Files.writeString(page, new HtmlReport(run).html());
        return page;
    }
}
