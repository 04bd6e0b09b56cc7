package dev.millrace.pages;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The sentences of the comments in a Java source: what is code in them, a tag or a list's mark, is no word. */
final class CommentText {
    /** A comment of its own lines: a block, or lines that follow each other. Behind code stands none that has a sentence. */
    private static final Pattern COMMENT = Pattern.compile("(?ms)^[ \\t]*/\\*\\*?(.*?)\\*/|(?:^[ \\t]*//[^\\n]*\\n)+");

    private static final Pattern MARGIN = Pattern.compile("(?m)^\\s*(?://|\\*)[ \\t]?");
    private static final Pattern EXAMPLE = Pattern.compile("(?s)<pre>.*?</pre>");
    private static final Pattern REFERENCE = Pattern.compile("\\{@\\w+\\s+(?:[^}\\s]*\\s+)*?([^}\\s]*)\\s*}");
    private static final Pattern BLOCK =
            Pattern.compile("</?(?:p|[uod]l|li|table|t[rhd]|d[td])\\b[^>]*>|@(?:param|return|throws|see|since)\\b");
    private static final Pattern TAG = Pattern.compile("</?\\w[^>]*>");

    /** Between two paragraphs, which the comments themselves do not have. */
    private static final String BREAK = "\u2029";

    private CommentText() {}

    /** Each with the line at which its comment begins. */
    static List<MarkdownText.Piece> sentences(String source) {
        List<MarkdownText.Piece> sentences = new ArrayList<>();
        Matcher comment = COMMENT.matcher(source);
        while (comment.find()) {
            int line = (int) source.substring(0, comment.start()).lines().count() + 1;
            String text = comment.group(1) == null ? comment.group() : comment.group(1);
            for (String sentence : sentencesOf(text)) {
                sentences.add(new MarkdownText.Piece(line, sentence));
            }
        }
        return sentences;
    }

    private static List<String> sentencesOf(String comment) {
        String text = MARGIN.matcher(comment).replaceAll("");
        text = EXAMPLE.matcher(text).replaceAll(BREAK);
        text = REFERENCE.matcher(text).replaceAll("$1");
        text = BLOCK.matcher(text).replaceAll(BREAK);
        text = TAG.matcher(text).replaceAll("");
        return Pattern.compile("(?<=[.!?])\\s+|" + BREAK)
                .splitAsStream(text)
                .map(sentence -> sentence.strip().replaceAll("\\s+", " "))
                .filter(sentence -> !sentence.isEmpty())
                .toList();
    }
}
