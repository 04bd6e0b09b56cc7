package dev.millrace.load.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.millrace.load.report.Comparison.Metric;
import dev.millrace.load.report.Comparison.NotComparable;
import dev.millrace.load.report.Comparison.Ratio;
import dev.millrace.load.report.Outcomes.Outcome;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes a comparison for programs and for pull requests. Immutable.
 *
 * @param a             what the user named as the baseline
 * @param b             what is compared with it
 * @param comparison    its ratios
 * @param deciding      figures that decide
 * @param marginPercent difference that does not matter
 */
public record ComparisonFiles(String a, String b, Comparison comparison, List<Metric> deciding, double marginPercent) {

    private static final ObjectMapper JSON = new ObjectMapper();

    /** A document with the ratios as numbers; an end of an interval that there is not is null. */
    public String json() {
        ObjectNode root = JSON.createObjectNode();
        root.put("a", a).put("b", b).put("summary", summary());
        ArrayNode cells = root.putArray("cells");
        for (Comparison.Row row : comparison.rows()) {
            ObjectNode cell = cells.addObject();
            cell.put("name", comparison.name(row)).put("label", row.label());
            ObjectNode parameters = cell.putObject("parameters");
            row.parameters().forEach(parameters::put);
            NotComparable reason = row.notComparable(deciding);
            cell.put("notComparable", reason == null ? null : reason.text());
            ArrayNode figures = cell.putArray("figures");
            row.ratios().forEach((metric, ratio) -> figure(figures.addObject(), row, metric, ratio));
        }
        try {
            return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(root) + "\n";
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    private void figure(ObjectNode node, Comparison.Row row, Metric metric, Ratio ratio) {
        node.put("figure", metric.name().toLowerCase(Locale.ROOT));
        node.put("ratio", finite(ratio.ratio()));
        node.put("low", finite(ratio.low()));
        node.put("high", finite(ratio.high()));
        node.put("repetitions", ratio.pairs());
        node.put("verdict", row.isDecidedBy(metric, deciding) ? verdict(metric, ratio) : null);
    }

    private String verdict(Metric metric, Ratio ratio) {
        return Outcome.of(metric, ratio, marginPercent, comparison.early()).label();
    }

    private String summary() {
        return Outcomes.of(comparison, deciding, marginPercent).summary();
    }

    private static @Nullable Double finite(double value) {
        return Double.isFinite(value) ? value : null;
    }

    /** A table for a comment on a pull request: GitHub's and GitLab's Markdown. */
    public String markdown() {
        StringBuilder page =
                new StringBuilder("### Load: ").append(plain(summary())).append("\n\n");
        page.append("| cell | figure | B / A | interval | repetitions | verdict |\n|---|---|---:|---|---:|---|\n");
        for (Comparison.Row row : comparison.rows()) {
            String name = plain(comparison.name(row));
            for (Map.Entry<Metric, Ratio> entry : row.ratios().entrySet()) {
                line(page, row, entry.getKey(), entry.getValue());
            }
            NotComparable reason = row.notComparable(deciding);
            if (reason != null) {
                page.append("| ").append(name).append(" | | | | | ");
                page.append(plain(reason.text())).append(" |\n");
            }
        }
        page.append("\nA is `").append(a).append("`, B is `").append(b).append("`.\n");
        return page.toString();
    }

    private void line(StringBuilder page, Comparison.Row row, Metric metric, Ratio ratio) {
        page.append(String.format(
                Locale.ROOT,
                "| %s | %s | %.3f | %s | %d | %s |\n",
                plain(comparison.name(row)),
                metric.label(),
                ratio.ratio(),
                interval(ratio),
                ratio.pairs(),
                row.isDecidedBy(metric, deciding) ? verdict(metric, ratio) : ""));
    }

    private static String interval(Ratio ratio) {
        if (!ratio.hasInterval()) {
            return "none";
        }
        return ratio.isNarrow()
                ? String.format(Locale.ROOT, "%.3f to %.3f", ratio.low(), ratio.high())
                : Comparison.TOO_WIDE;
    }

    /** What would end a cell of the table, or be read as HTML. */
    private static String plain(String text) {
        return text.replace("\\", "\\\\")
                .replace("|", "\\|")
                .replace("<", "&lt;")
                .replaceAll("\\R", " ");
    }
}
