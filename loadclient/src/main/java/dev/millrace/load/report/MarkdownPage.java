package dev.millrace.load.report;

import java.util.ArrayList;
import java.util.List;

/** Writes replays on one page of Markdown. Stateless. */
public final class MarkdownPage {

    /** The facts of the environment that affect figures most. */
    private static final List<String> FACTS = List.of(
            "os",
            "cpu model",
            "cores",
            "memory",
            "server jdk",
            "jdk of peers",
            "client jdk",
            "commit",
            "tcp_congestion_control");

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

                - A claim *holds* if the whole interval of today's ratio lies where the claim wants it. It *does not hold today* if the
                  whole interval lies elsewhere, and is *undecided* otherwise, for the reason that stands beside.
                - Of each claim, intervals miss the truth in at most 5 of 100. They are not corrected for the number of claims, unless
                  the replay had a budget: of 40 verdicts about two may be wrong.
                - Where servers are started further times for undecided claims, ratios are looked at twice, and each look has intervals of
                  97.5 % (Bonferroni).
                - Where a claim says that one is better than another, *no difference* means that the whole interval lies within 5 % of 1,
                  on both sides of it: the claim is decided, and does not hold today.
                - A repetition is a block in which every cell is measured once, and ratios are taken within it. Where servers are started
                  several times, an interval has one value for each start: the mean of its blocks.
                - A cell counts in no ratio if it has errors, is invalid, or belongs to a server that left requests unanswered. A claim
                  with no repetition left is *not comparable*.
                - Client and server share a machine, so throughput includes the client's cost. Work per second of the server's CPU
                  is judged beside it, and decides where throughput cannot, or shows no difference.

                """);
        List<RunFile> repeated =
                runs.stream().filter(run -> run.experiment() != null).toList();
        page.append(ClaimResult.summary(repeated.stream()
                        .flatMap(run -> ExperimentTables.claims(run).stream())
                        .toList()))
                .append("\n\n")
                .append(claims(repeated));
        page.append("Made by `").append(command).append("`.\n\n");
        repeated.forEach(run -> append(page, run));
        return page.toString();
    }

    /** All claims in one table: claim, then, now, verdict. */
    private static String claims(List<RunFile> runs) {
        List<List<String>> rows = new ArrayList<>();
        for (RunFile run : runs) {
            for (ClaimResult result : ExperimentTables.claims(run)) {
                rows.add(List.of(
                        run.replayed().name() + ": " + result.claim().text(),
                        result.then(),
                        result.now(),
                        result.verdict()));
            }
        }
        return new Table("All claims", List.of("claim", "then", "now", "verdict"), rows).markdown();
    }

    private static void append(StringBuilder page, RunFile run) {
        page.append("## ")
                .append(run.replayed().title())
                .append("\n\n")
                .append(run.replayed().about())
                .append("\n\n");
        run.replayed().scaled().forEach(line -> page.append("- ").append(line).append('\n'));
        page.append("\nMeasured at ")
                .append(run.started())
                .append(" by `replay ")
                .append(run.replayed().name())
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
