package dev.millrace.files;

import java.util.List;
import org.eclipse.jetty.http.ComplianceViolation;
import org.eclipse.jetty.http.HttpCompliance;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.QuotedCSV;
import org.eclipse.jetty.server.Request;

/** The entity tags of a request's conditions (RFC 9110 section 8.8.3). */
final class EntityTags {
    private EntityTags() {}

    /** Whether Jetty fails to read them: some quotes it refuses, and of {@code a"b"} it looks a letter too far back. */
    static boolean areMalformed(Request request) {
        HttpCompliance compliance =
                request.getConnectionMetaData().getHttpConfiguration().getHttpCompliance();
        for (HttpHeader condition : List.of(HttpHeader.IF_MATCH, HttpHeader.IF_NONE_MATCH)) {
            for (String tags : request.getHeaders().getValuesList(condition)) {
                QuotedCSV read = new QuotedCSV.Etags(compliance, ComplianceViolation.Listener.NOOP);
                try {
                    read.addValue(tags);
                } catch (HttpException.RuntimeException | IndexOutOfBoundsException malformed) {
                    return true;
                }
            }
        }
        return false;
    }
}
