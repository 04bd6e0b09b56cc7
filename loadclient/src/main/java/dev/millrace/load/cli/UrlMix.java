package dev.millrace.load.cli;

import static dev.millrace.load.cli.UsageException.require;

import dev.millrace.load.http.Target;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * URLs that are requested in proportions. Immutable.
 *
 * @param entries the URLs
 */
record UrlMix(List<Entry> entries) {

    private static final Pattern LINE = Pattern.compile("(?:(\\d{1,6})\\s+)?(?:([!#-'*+.^_`|~A-Za-z-]+)\\s+)?(\\S+)");
    /** Each client has a deck of so many references at most. */
    private static final int MOST_WEIGHT = 100_000;
    /** As many as a line of the report can show. */
    private static final int FEW = 5;

    /**
     * One of the URLs.
     *
     * @param weight how often it is requested
     * @param method its method; null for that of the command
     * @param url    relative to the server's URL; empty for that URL itself
     */
    record Entry(int weight, @Nullable String method, String url) {

        /** The URL as it is shown: reports go to others. */
        String shown() {
            return Target.withoutPasswords(url);
        }

        /** The URL on a server. */
        Target on(Target server) {
            if (url.isEmpty()) {
                return server;
            }
            Target target = UsageException.parse("not a URL: " + url + ": ", () -> server.resolve(url));
            require(target.isOn(server), url + " is on another server than " + server.uri());
            return target;
        }
    }

    /**
     * The methods in their order, as they are shown.
     *
     * @param usual that of URLs without one
     */
    String methods(String usual) {
        return entries.stream()
                .map(entry -> entry.method() == null ? usual : entry.method())
                .distinct()
                .collect(Collectors.joining(","));
    }

    /** Whether some URL has the method of the command. */
    boolean takesMethod() {
        return entries.stream().anyMatch(entry -> entry.method() == null);
    }

    /** The URLs for the report: weights and methods of some, otherwise their number, and what tells them from others. */
    String describe() {
        String all = entries.stream()
                .map(entry ->
                        entry.weight() + (entry.method() == null ? "" : " " + entry.method()) + " " + entry.shown())
                .collect(Collectors.joining(", "));
        return entries.size() <= FEW
                ? all
                : entries.size() + " lines, " + InputFile.describe(all.getBytes(StandardCharsets.UTF_8));
    }

    /** The server's own URL alone. */
    static UrlMix single() {
        return new UrlMix(List.of(new Entry(1, null, "")));
    }

    /**
     * Reads lines of the form {@code [WEIGHT] [METHOD] URL}. Empty lines are skipped, and those that begin with #.
     *
     * @param source option or file, for errors
     */
    static UrlMix of(String source, List<String> lines) {
        List<Entry> entries = new ArrayList<>();
        long weights = 0;
        for (String line : lines) {
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            Matcher parts = LINE.matcher(line.strip());
            require(parts.matches(), source + ": '" + line + "' is not of the form [WEIGHT] [METHOD] URL");
            int weight = parts.group(1) == null ? 1 : Integer.parseInt(parts.group(1));
            require(weight > 0, source + ": the weight of '" + line + "' is not above 0");
            weights += weight;
            entries.add(new Entry(weight, parts.group(2), parts.group(3)));
        }
        require(!entries.isEmpty(), source + " names no URL");
        require(weights <= MOST_WEIGHT, source + ": the weights add up to more than " + MOST_WEIGHT);
        return new UrlMix(entries);
    }
}
