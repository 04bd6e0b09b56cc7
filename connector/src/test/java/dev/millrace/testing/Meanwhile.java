package dev.millrace.testing;

import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;

/** Requests and responses that have something done while a file is being found and answered. */
public final class Meanwhile {
    private Meanwhile() {}

    /** What is done. */
    @FunctionalInterface
    public interface Action {
        void run() throws Exception;
    }

    /** Has it done whenever the fields of the request are asked for, which is after the look-up. */
    public static Request atFields(Request request, Action action) {
        return new Request.Wrapper(request) {
            @Override
            public HttpFields getHeaders() {
                run(action);
                return super.getHeaders();
            }
        };
    }

    /** Has it done whenever the fields of the response are asked for, which is before the first is set. */
    public static Response atFields(Request request, Response response, Action action) {
        return new Response.Wrapper(request, response) {
            @Override
            public HttpFields.Mutable getHeaders() {
                run(action);
                return super.getHeaders();
            }
        };
    }

    /** Has it done whenever the response is told when the file was modified. */
    public static Response atLastModified(Request request, Response response, Action action) {
        return new Response.Wrapper(request, response) {
            @Override
            public HttpFields.Mutable getHeaders() {
                return new HttpFields.Mutable.Wrapper(super.getHeaders()) {
                    @Override
                    public HttpField onAddField(HttpField field) {
                        if (field.getHeader() == HttpHeader.LAST_MODIFIED) {
                            run(action);
                        }
                        return field;
                    }
                };
            }
        };
    }

    private static void run(Action action) {
        try {
            action.run();
        } catch (Exception x) {
            throw new IllegalStateException(x);
        }
    }
}
