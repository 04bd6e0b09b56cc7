package dev.millrace.pages;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What every page of this repository keeps to. */
final class PageRules {
    static final int MOST_WORDS = 40;
    static final int MOST_CHARACTERS = 120;

    private final Path root;
    private final List<String> faults = new ArrayList<>();

    private PageRules(Path root) {
        this.root = root;
    }

    /**
     * Where a page breaks the rules.
     *
     * @param root of the repository: no link to a file leads out of it
     * @param page from there, with slashes
     */
    static List<String> faults(Path root, String page) throws IOException {
        PageRules rules = new PageRules(root);
        MarkdownText text = new MarkdownText(Files.readString(root.resolve(page)));
        for (MarkdownText.Piece sentence : text.sentences()) {
            int words = sentence.text().strip().split("\\s+").length;
            rules.check(words <= MOST_WORDS, page, sentence, words + " words in a sentence");
        }
        for (MarkdownText.Piece cell : text.cells()) {
            int length = cell.text().length();
            rules.check(length <= MOST_CHARACTERS, page, cell, length + " characters in a cell");
        }
        for (MarkdownText.Piece link : text.links()) {
            rules.check(rules.leadsSomewhere(page, link.text()), page, link, "a dead link");
        }
        return rules.faults;
    }

    private void check(boolean condition, String page, MarkdownText.Piece piece, String fault) {
        if (!condition) {
            faults.add(page + ":" + piece.line() + ": " + fault + ": " + piece.text());
        }
    }

    /** Pages of others are not asked for: only the form of their address is looked at. */
    private boolean leadsSomewhere(String page, String link) throws IOException {
        URI uri;
        try {
            uri = new URI(link);
        } catch (URISyntaxException x) {
            return false;
        }
        if (uri.getScheme() != null) {
            return List.of("http", "https").contains(uri.getScheme()) && uri.getHost() != null;
        }
        Path from = root.resolve(page);
        Path to = uri.getPath().isEmpty()
                ? from
                : from.resolveSibling(uri.getPath()).normalize();
        if (!to.startsWith(root) || !Files.exists(to)) {
            return false;
        }
        return uri.getFragment() == null
                || (to.toString().endsWith(".md")
                        && new MarkdownText(Files.readString(to)).anchors().contains(uri.getFragment()));
    }
}
