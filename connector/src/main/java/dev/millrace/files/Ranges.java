package dev.millrace.files;

import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.content.HttpContent;

/** Rules of range requests that Jetty's file serving leaves open. */
final class Ranges {
    private Ranges() {
    }

    /** See {@link SendfileContentFactory#acceptsRanges}. */
    static boolean areAcceptable(HttpFields request, HttpContent content, int maxRanges) {
        long commas = 0;
        for (String range : request.getValuesList(HttpHeader.RANGE)) {
            commas += range.chars().filter(c -> c == ',').count() + 1;
        }
        String version = request.get(HttpHeader.IF_RANGE);
        if (commas > maxRanges) {
            return false;
        }
        return version == null
                || content.getLastModified() != null && version.equals(content.getLastModified().getValue())
                || !version.startsWith("W/") && version.equals(content.getETagValue());
    }
}
