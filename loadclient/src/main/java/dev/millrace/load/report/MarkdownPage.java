package dev.millrace.load.report;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;

/** Writes replays on one page of Markdown. Stateless. */
public final class MarkdownPage {

    /** The facts of the environment that affect figures most. */
    private static final List<String> FACTS = List.of(
            "os", "cpu model", "cores", "memory", "server jdk", "client jdk", "commit", "tcp_congestion_control");

    private static final Set<Decision> ALWAYS_COUNTED = Set.of(Decision.HOLDS, Decision.FAILS, Decision.UNDECIDED);

    private MarkdownPage() {}

    /**
     * The page.
     *
     * @param runs    runs in the order of the page; those that are no replays are left out
     * @param command the command that makes this page
     */
    public static String of(List<RunFile> runs, String command) {
        StringBuilder page = new StringBuilder("""
                # Twenty years later

                Five experiments that were published between 2004 and 2013, repeated by `loadclient replay`. The figures of then belong
                to their machines, so only ratios and orders compare.

                - A claim *holds* if the whole 95 % interval of today's ratio lies where the claim wants it. It *does not hold today* if
                  the whole interval lies elsewhere, and is *undecided* otherwise.
                - A repetition is a block in which every cell is measured once, and ratios are taken within it. Where servers are started
                  several times, an interval has one value for each start: the mean of its blocks.
                - A cell counts in no ratio if it has errors, is invalid, or belongs to a server that left requests unanswered. A claim
                  with no repetition left is *not comparable*.
                - Client and server share a machine, so throughput includes the client's cost. Work per second of the server's CPU
                  is judged beside it.

                """);
        List<RunFile> repeated =
                runs.stream().filter(run -> run.experiment() != null).toList();
        page.append(summary(repeated.stream()
                .flatMap(run -> ExperimentTables.decisions(run).stream())
                .toList()));
        page.append("Made by `").append(command).append("`.\n\n");
        repeated.forEach(run -> append(page, run));
        return page.toString();
    }

    private static String summary(List<String> decisions) {
        List<String> counts = new ArrayList<>();
        for (Decision decision : Decision.values()) {
            int count = Collections.frequency(decisions, decision.label());
            if (count > 0 || ALWAYS_COUNTED.contains(decision)) {
                counts.add("*" + decision.label() + "* " + count);
            }
        }
        return "Of " + decisions.size() + " claims: " + String.join(", ", counts) + ".\n\n";
    }

    private static void append(StringBuilder page, RunFile run) {
        page.append("## ")
                .append(run.experiment().title())
                .append("\n\n")
                .append(run.experiment().about())
                .append("\n\n");
        run.experiment().scaled().forEach(line -> page.append("- ").append(line).append('\n'));
        page.append("\nMeasured at ")
                .append(run.started())
                .append(" by `replay ")
                .append(run.experiment().name())
                .append("`:\n\n- ");
        FACTS.stream()
                .filter(run.environment()::containsKey)
                .forEach(fact -> page.append(fact)
                        .append(' ')
                        .append(run.environment().get(fact))
                        .append("\n- "));
        page.append(String.join(
                        "\n- ",
                        run.plan().entrySet().stream()
                                .map(fact -> fact.getKey() + " " + fact.getValue())
                                .toList()))
                .append(". ");
        page.append(ExperimentTables.basis(run)).append("\n\n");
        ExperimentTables.of(run).forEach(table -> page.append(table.markdown()));
    }
}
