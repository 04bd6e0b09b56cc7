package dev.millrace.load.cli;

import static dev.millrace.load.cli.UsageException.require;

import dev.millrace.load.scenario.Catalog;
import dev.millrace.load.scenario.CatalogFile;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Selects the files of a catalogue that a cell downloads. Stateless. */
final class Selections {

    private static final String ALL = "mix";
    static final String EACH = "each";
    private static final Pattern PART = Pattern.compile("(\\w+):(\\d{1,6})");

    /** Each client has a deck of so many references at most. */
    private static final int MOST_WEIGHT = 100_000;

    private Selections() {}

    /** A name for the selection of each cell: a file that the user named, each file, or a mix. */
    static List<String> names(Catalog catalog, @Nullable List<String> files, @Nullable String mix) {
        if (mix != null) {
            return List.of(mix);
        }
        if (files == null) {
            return List.of(catalog.files().size() == 1 ? catalog.files().get(0).name() : ALL);
        }
        return files.equals(List.of(EACH))
                ? catalog.files().stream().map(CatalogFile::name).distinct().toList()
                : files;
    }

    /**
     * The files of a selection, each repeated by its weight.
     *
     * @param weighted whether the name is a list of sizes and weights
     * @throws IllegalArgumentException if the catalogue has no such file; the message is for people
     */
    static List<CatalogFile> deck(Catalog catalog, String name, boolean weighted) {
        if (weighted) {
            return weighted(catalog, name);
        }
        boolean known = catalog.files().stream().anyMatch(file -> file.name().equals(name));
        return name.equals(ALL) && !known ? catalog.files() : List.of(catalog.file(name));
    }

    /** Refuses a mix that no catalogue makes a good one. */
    static void requireForm(String mix) {
        long weights = 0;
        for (Matcher part : parts(mix)) {
            size(part);
            weights += Integer.parseInt(part.group(2));
        }
        require(weights > 0, "--mix has no weight above 0: " + mix);
        require(weights <= MOST_WEIGHT, "--mix: the weights add up to more than " + MOST_WEIGHT);
    }

    private static List<Matcher> parts(String mix) {
        List<Matcher> parts = new ArrayList<>();
        for (String text : mix.toLowerCase(Locale.ROOT).split(",")) {
            Matcher part = PART.matcher(text.strip());
            require(part.matches(), "--mix takes SIZE:WEIGHT,... such as 1k:40,1m:10, not " + text);
            parts.add(part);
        }
        return parts;
    }

    private static long size(Matcher part) {
        return UsageException.parse("--mix: ", () -> Units.bytes(part.group(1)));
    }

    private static List<CatalogFile> weighted(Catalog catalog, String mix) {
        requireForm(mix);
        List<CatalogFile> deck = new ArrayList<>();
        for (Matcher part : parts(mix)) {
            long size = size(part);
            CatalogFile file = catalog.files().stream()
                    .filter(one -> one.size() == size)
                    .findFirst()
                    .orElseThrow(() -> new UsageException("no file of " + size + " bytes in the catalogue"));
            deck.addAll(Collections.nCopies(Integer.parseInt(part.group(2)), file));
        }
        return deck;
    }
}
