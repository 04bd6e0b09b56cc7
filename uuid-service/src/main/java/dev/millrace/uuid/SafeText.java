package dev.millrace.uuid;

/** Makes text of a peer or of a parser fit for an answer: printable ASCII of bounded length. */
final class SafeText {
    private static final int MAX_QUOTED_CHARS = 40;

    private SafeText() {
    }

    /** The text in single quotes, cut after 40 characters. */
    static String quote(String text) {
        return '\'' + printable(text, MAX_QUOTED_CHARS) + '\'';
    }

    /** The text with a question mark for all that is not printable ASCII, cut after {@code maxChars} characters. */
    static String printable(String text, int maxChars) {
        int length = Math.min(text.length(), maxChars);
        StringBuilder safe = new StringBuilder(length + 3);
        for (int i = 0; i < length; i++) {
            char c = text.charAt(i);
            safe.append(c >= ' ' && c <= '~' ? c : '?');
        }
        if (length < text.length()) {
            safe.append("...");
        }
        return safe.toString();
    }
}
