package dev.millrace.load.http;

import java.util.List;
import org.apache.hc.core5.http.Header;
import org.jspecify.annotations.Nullable;

/** The head of an answer of HTTP/2 (RFC 9113 section 8.3). Immutable. */
final class Http2Head implements ResponseHead {

    private static final String STATUS = ":status";

    private final List<Header> fields;
    private final int status;

    /**
     * A head.
     *
     * @throws BadResponseException if the fields hold no status
     */
    Http2Head(List<Header> fields) throws BadResponseException {
        this.fields = fields;
        this.status = status(fields);
    }

    private static int status(List<Header> fields) throws BadResponseException {
        // RFC 9113 section 8.3: pseudo-header fields come before all others, and there is one in an answer.
        String value = fields.isEmpty() || !fields.get(0).getName().equals(STATUS)
                ? ""
                : fields.get(0).getValue();
        int status = 0;
        for (int i = 0; i < value.length(); i++) {
            int digit = value.charAt(i) - '0';
            status = digit < 0 || digit > 9 || status < 0 ? -1 : status * 10 + digit;
        }
        if (value.length() != 3 || status < 100) {
            throw new BadResponseException(FailureKind.MALFORMED, "no :status");
        }
        return status;
    }

    @Override
    public int status() {
        return status;
    }

    @Override
    public @Nullable String field(String name) {
        for (Header field : fields) {
            if (field.getName().equalsIgnoreCase(name)) {
                return field.getValue();
            }
        }
        return null;
    }

    @Override
    public boolean fieldContains(String name, String text) {
        String value = field(name);
        return value != null && value.contains(text);
    }
}
