package dev.millrace.load.report;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;

/** Repeated experiments on one page of Markdown. Stateless. */
public final class MarkdownPage {

    /** The facts of the environment that figures depend on most. */
    private static final List<String> FACTS = List.of("os", "cpu model", "cores", "memory", "server jdk", "client jdk",
            "commit", "tcp_congestion_control");

    private static final Set<Decision> ALWAYS_COUNTED = Set.of(Decision.HOLDS, Decision.FAILS, Decision.UNDECIDED);

    private MarkdownPage() {
    }

    /**
     * The page.
     *
     * @param runs    in the order in which they are shown; those that repeat no experiment are left out
     * @param command what makes this page
     */
    public static String of(List<RunFile> runs, String command) {
        StringBuilder page = new StringBuilder("""
                # Twenty years later

                Five experiments that were published between 2004 and 2013, repeated by `loadclient replay`. Figures of then are facts
                of their machines; only ratios and orders compare. A claim *holds* if the whole 95 % interval of today's ratio lies
                where the claim wants it, *does not hold today* if the whole interval lies elsewhere, and is *undecided* otherwise.
                Ratios are taken within each repetition, a block in which every cell is measured once; blocks on servers started
                once are averaged, so that an interval is that of independent starts where there are several. Ratios leave out
                cells with errors, invalid ones, and those of a server that left requests unanswered; a claim with no repetition
                left is *not comparable*. Throughput on a machine that client and server share includes the client's cost; work
                per second of the server's CPU is judged beside it.

                """);
        List<RunFile> repeated = runs.stream().filter(run -> run.experiment() != null).toList();
        page.append(summary(repeated.stream().flatMap(run -> ThenAndNow.decisions(run).stream()).toList()));
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
        page.append("## ").append(run.experiment().title()).append("\n\n").append(run.experiment().about())
                .append("\n\n");
        run.experiment().scaled().forEach(line -> page.append("- ").append(line).append('\n'));
        page.append('\n').append(run.started()).append(": ");
        FACTS.stream().filter(run.environment()::containsKey)
                .forEach(fact -> page.append(fact).append(' ').append(run.environment().get(fact)).append("; "));
        page.append("`replay ").append(run.experiment().name()).append("`, ");
        page.append(String.join(", ", run.plan().entrySet().stream()
                .map(fact -> fact.getKey() + " " + fact.getValue()).toList())).append(". ");
        page.append(ThenAndNow.basis(run)).append("\n\n");
        ThenAndNow.of(run).forEach(table -> page.append(table.markdown()));
    }
}
