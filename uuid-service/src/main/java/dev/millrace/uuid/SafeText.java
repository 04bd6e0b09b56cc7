package dev.millrace.uuid;

/** Makes text of a client or a parser safe for a response: printable ASCII of bounded length. Stateless. */
final class SafeText {
    private static final int MAX_QUOTED_CHARS = 40;

    private SafeText() {}

    /** The text in single quotes, cut off after 40 characters. */
    static String quote(String text) {
        return '\'' + printable(text, MAX_QUOTED_CHARS) + '\'';
    }

    /** The text with question marks for characters other than printable ASCII, cut off after {@code maxChars}. */
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
