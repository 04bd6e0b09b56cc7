package dev.millrace.uuid;

/** What XML calls white space (XML 1.0, section 2.3). {@link String#trim} takes control characters for it too, which XML 1.1 allows in a name. */
final class WhiteSpace {
    private WhiteSpace() {}

    /** The text without spaces, tabs and ends of lines at both ends. */
    static String trimmed(String text) {
        int begin = 0;
        int end = text.length();
        while (begin < end && isWhite(text.charAt(begin))) {
            begin++;
        }
        while (begin < end && isWhite(text.charAt(end - 1))) {
            end--;
        }
        return text.substring(begin, end);
    }

    private static boolean isWhite(char c) {
        return c == ' ' || c == '\t' || c == '\r' || c == '\n';
    }
}
