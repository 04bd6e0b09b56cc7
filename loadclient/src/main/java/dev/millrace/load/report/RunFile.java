package dev.millrace.load.report;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.exc.InvalidNullException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import dev.millrace.load.experiment.Experiment;
import dev.millrace.load.http.Failure;
import dev.millrace.load.run.CellResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A run with its results, which is the content of {@code run.json}. Immutable.
 *
 * @param schemaVersion version of the format; readers reject a newer one
 * @param title         heading of the report
 * @param started       ISO 8601 time
 * @param command       the command line
 * @param environment   facts about the machine
 * @param plan          settings of all cells
 * @param cells         results, in the order in which they were measured
 * @param experiment    the experiment that a replay repeated; null for other runs
 */
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonInclude(JsonInclude.Include.NON_NULL)
public record RunFile(
        int schemaVersion,
        String title,
        String started,
        String command,
        Map<String, String> environment,
        Map<String, String> plan,
        List<CellResult> cells,
        @Nullable Experiment experiment) {

    /** The version written by this program. */
    public static final int SCHEMA_VERSION = 1;
    /** Name of the file. */
    public static final String NAME = "run.json";
    /** The fact of a replay's plan that names the form of the experiment. */
    public static final String FORM = "form";
    /** The value of that fact for the long form. */
    public static final String FULL = "full";
    /** The fact of a run that names the failure that ended it before all cells were measured. */
    public static final String ENDED_EARLY = "ended early";

    /** The fact of a run's plan that names the variant with which the others are compared. */
    public static final String CONTROL = "control";

    /** The fact of a run that went on until its questions were decided: the time that it was given. */
    public static final String BUDGET = "budget";
    /** The fact of such a run that says which difference in per cent does not matter. */
    public static final String MARGIN = "margin in %";

    /** The fact of a run whose servers were measured at the same time. */
    public static final String TOGETHER = "together";

    /** The fact of a merged run that says how far apart its runs were. */
    public static final String MERGED = "merged";

    /** Facts of the machine by which figures differ. */
    private static final List<String> MACHINE = List.of("cores", "cpu model");
    /** Settings by which figures do not differ, and those that say when a run ends. */
    private static final Set<String> HARMLESS =
            Set.of("seed", "source addresses", "repetitions", CONTROL, BUDGET, MARGIN, MERGED);

    private static final ObjectMapper JSON = new ObjectMapper()
            .enable(SerializationFeature.INDENT_OUTPUT)
            .setDefaultSetterInfo(JsonSetter.Value.forContentNulls(Nulls.FAIL));

    /** A run that repeats no experiment. */
    public static RunFile of(
            String title,
            String started,
            String command,
            Map<String, String> environment,
            Map<String, String> plan,
            List<CellResult> cells) {
        return new RunFile(SCHEMA_VERSION, title, started, command, environment, plan, cells, null);
    }

    /**
     * Reads a {@code run.json}.
     *
     * @throws IOException if the file is missing, or this program cannot read it; the message is for people
     */
    public static RunFile read(Path file) throws IOException {
        if (!Files.isRegularFile(file)) {
            throw new IOException("cannot read " + file + ": no such file");
        }
        // Jackson reads the text "null" as null.
        @Nullable RunFile run;
        try {
            run = JSON.readValue(file.toFile(), RunFile.class);
        } catch (InvalidNullException e) {
            throw new IOException(
                    "cannot read " + file + ": a part of the run is missing in " + e.getPropertyName(), e);
        } catch (MismatchedInputException e) {
            throw new IOException(file + " is no run.json: " + e.getOriginalMessage(), e);
        } catch (IOException e) {
            throw new IOException("cannot read " + file + ": " + Failure.firstLine(e), e);
        }
        if (run == null || run.schemaVersion() < 1 || run.cells() == null) {
            throw new IOException(file + " is no run.json");
        }
        if (run.schemaVersion() > SCHEMA_VERSION) {
            throw new IOException(file + " has schema version " + run.schemaVersion() + ", this program reads 1 to "
                    + SCHEMA_VERSION);
        }
        boolean whole = Stream.of(run.title(), run.started(), run.command(), run.environment(), run.plan())
                .allMatch(Objects::nonNull);
        if (!whole || run.cells().stream().anyMatch(Objects::isNull)) {
            throw new IOException("cannot read " + file + ": a part of the run is missing");
        }
        for (CellResult cell : run.cells()) {
            requireHistogram(file, cell);
        }
        return run;
    }

    private static void requireHistogram(Path file, CellResult cell) throws IOException {
        try {
            if (!cell.histogram().isEmpty()) {
                cell.latencies();
            }
        } catch (RuntimeException e) {
            // The decoder's own message says no more than that a buffer is at its end.
            throw new IOException("cannot read " + file + ": a histogram that is none", e);
        }
    }

    /** The experiment of a run that is a replay. */
    Experiment replayed() {
        return Objects.requireNonNull(experiment, "no replay");
    }

    /** Whether the run looked at its intervals, and ended when they decided. */
    public boolean endedWhenDecided() {
        return plan.containsKey(BUDGET);
    }

    /** Whether the run's servers were measured at the same time. */
    public boolean measuredTogether() {
        return plan.containsKey(TOGETHER);
    }

    /** The settings, and facts about the machine, by which figures differ though servers do not, with both values. */
    public List<String> differences(RunFile other) {
        SortedSet<String> settings = new TreeSet<>(plan.keySet());
        settings.addAll(other.plan.keySet());
        settings.removeAll(HARMLESS);
        return Stream.concat(
                        MACHINE.stream().map(name -> difference(name, environment, other.environment)),
                        settings.stream().map(name -> difference(name, plan, other.plan)))
                .filter(text -> !text.isEmpty())
                .toList();
    }

    private static String difference(String name, Map<String, String> one, Map<String, String> other) {
        String first = one.getOrDefault(name, "-");
        String second = other.getOrDefault(name, "-");
        return first.equals(second) ? "" : name + " (" + first + ", " + second + ")";
    }

    /** Writes the {@code run.json}. What a full disk cuts off takes the place of no run that was there before. */
    void write(Path file) throws IOException {
        Path target = Files.exists(file) ? file.toRealPath() : file;
        if (Files.exists(target) && !Files.isRegularFile(target)) {
            // A device keeps its place.
            JSON.writeValue(target.toFile(), this);
            return;
        }
        Path part = target.resolveSibling(target.getFileName() + ".part");
        try {
            JSON.writeValue(part.toFile(), this);
            Files.move(part, target, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            Files.deleteIfExists(part);
            throw e;
        }
    }

    /** The present time in the form of {@link #started()}. */
    public static String now() {
        return Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
    }
}
