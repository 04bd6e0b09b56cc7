package dev.millrace.files;

import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;

/**
 * A response that varies already, by {@code Origin} for example, before it is of a file. Jetty puts what the file
 * varies by in place of that.
 */
final class VariedResponse extends PassiveResponse {
    VariedResponse(Request request, Response wrapped) {
        super(request, wrapped);
    }

    @Override
    public HttpFields.Mutable getHeaders() {
        return new HttpFields.Mutable.Wrapper(super.getHeaders()) {
            @Override
            public HttpField onReplaceField(HttpField old, HttpField replacing) {
                if (old.getHeader() != HttpHeader.VARY) {
                    return replacing;
                }
                HttpFields.Mutable both = HttpFields.build().add(old);
                both.ensureField(replacing);
                return both.getField(HttpHeader.VARY);
            }

            @Override
            public boolean onRemoveField(HttpField field) {
                return field.getHeader() != HttpHeader.VARY;
            }
        };
    }
}
