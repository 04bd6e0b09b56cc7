package dev.millrace.files;

import java.util.EnumSet;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;

/** A request without some of its header fields. */
final class HeaderFilteredRequest extends Request.Wrapper {
    private final HttpFields headers;

    // An EnumSet: the header of a field that Jetty does not know is null, at which a Set.of fails.
    HeaderFilteredRequest(Request wrapped, EnumSet<HttpHeader> without) {
        super(wrapped);
        HttpFields.Mutable kept = HttpFields.build();
        for (HttpField field : wrapped.getHeaders()) {
            if (!without.contains(field.getHeader())) {
                kept.add(field);
            }
        }
        headers = kept.asImmutable();
    }

    @Override
    public HttpFields getHeaders() {
        return headers;
    }
}
