package dev.millrace.pages;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;

/**
 * Writes the tables and charts of {@code docs/performance.md} and the tables of {@code README.md} anew, from
 * {@code docs/results/performance}. All other text belongs to the pages' author; see {@link Block}. Used by one thread.
 */
public final class PerformancePage {
    /** From the root of the repository. */
    static final List<String> PAGES = List.of("README.md", "docs/performance.md");

    private static final String CHARTS = "charts";

    private final Results results;
    private final SortedMap<String, String> charts = new TreeMap<>();

    PerformancePage(Results results) {
        this.results = results;
    }

    /**
     * Writes the pages and the charts.
     *
     * @param args the root of the repository, if it is not the current directory
     */
    public static void main(String[] args) throws IOException {
        Path root = Path.of(args.length == 0 ? "." : args[0]);
        Path docs = root.resolve("docs");
        PerformancePage maker =
                new PerformancePage(new Results(docs.resolve("results").resolve("performance")));
        for (String page : PAGES) {
            Path file = root.resolve(page);
            Files.writeString(file, maker.page(Files.readString(file)));
        }
        Files.createDirectories(docs.resolve(CHARTS));
        for (var chart : maker.charts().entrySet()) {
            Files.writeString(docs.resolve(chart.getKey()), chart.getValue());
        }
    }

    /**
     * The page with its blocks written anew.
     *
     * @throws IllegalArgumentException when a block asks for what is not there
     */
    String page(String before) {
        Matcher matcher = Block.IN_PAGE.matcher(before);
        return matcher.replaceAll(match -> {
            Block block = Block.of(matcher);
            // Up to the end of the next block there is text of the author's.
            if (Block.BEGIN.matcher(match.group().substring(1)).find()) {
                throw new IllegalArgumentException(
                        "a block without an end: " + match.group(1).strip());
            }
            return Matcher.quoteReplacement(match.group(1) + "\n" + written(block) + "\n" + match.group(5));
        });
    }

    /** The charts of the pages that were made, by their path in {@code docs}. */
    SortedMap<String, String> charts() {
        return charts;
    }

    private String written(Block block) {
        return switch (block.kind()) {
            case "table" -> ResultTable.of(block, results);
            case "goals" -> Goals.of(block, results);
            default -> chart(block);
        };
    }

    private String chart(Block block) {
        BarChart chart = new BarChart(block, results);
        String path = CHARTS + "/" + block.name() + ".svg";
        charts.put(path, chart.svg());
        return "<img src=\"" + path + "\" width=\"" + BarChart.WIDTH + "\" alt=\""
                + BarChart.escaped(chart.description()) + "\">\n";
    }
}
