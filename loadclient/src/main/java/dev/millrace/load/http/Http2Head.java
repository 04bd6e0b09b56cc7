package dev.millrace.load.http;

import java.util.List;
import java.util.Set;
import org.apache.hc.core5.http.Header;
import org.jspecify.annotations.Nullable;

/** The head of an answer of HTTP/2 (RFC 9113 section 8.3). Immutable. */
final class Http2Head implements ResponseHead {

    /** The length of a body that is not announced. */
    static final long UNKNOWN = -1;

    private static final String STATUS = ":status";
    private static final Set<String> OF_CONNECTION =
            Set.of("connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade");
    /** More digits may not fit a long. */
    private static final int MOST_DIGITS = 18;

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
        refuseFieldsOfOthers(fields);
    }

    /**
     * RFC 9113 section 8.2: names are in lower case, and what concerned a connection of HTTP/1.1 has no field. Section
     * 8.3: an answer has one pseudo-header field.
     */
    private static void refuseFieldsOfOthers(List<Header> fields) throws BadResponseException {
        for (int i = 0; i < fields.size(); i++) {
            String name = fields.get(i).getName();
            if (OF_CONNECTION.contains(name) || hasCapital(name)) {
                throw new BadResponseException(FailureKind.MALFORMED, "a field that HTTP/2 does not have: " + name);
            }
            if (i > 0 && isPseudo(fields.get(i))) {
                throw new BadResponseException(FailureKind.MALFORMED, "a pseudo-header field beside :status: " + name);
            }
        }
    }

    private static boolean hasCapital(String name) {
        for (int i = 0; i < name.length(); i++) {
            if (name.charAt(i) >= 'A' && name.charAt(i) <= 'Z') {
                return true;
            }
        }
        return false;
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

    /** Whether fields hold a pseudo-header field, such as a status, which trailers must not (RFC 9113 section 8.1). */
    static boolean holdsPseudo(List<Header> fields) {
        return fields.stream().anyMatch(Http2Head::isPseudo);
    }

    private static boolean isPseudo(Header field) {
        return field.getName().startsWith(":");
    }

    /**
     * The length that content-length tells.
     *
     * @throws BadResponseException if it is no number, or there are two
     */
    long announcedLength() throws BadResponseException {
        long length = UNKNOWN;
        for (Header field : fields) {
            if (!field.getName().equals("content-length")) {
                continue;
            }
            String value = field.getValue();
            if (length != UNKNOWN
                    || value.isEmpty()
                    || value.length() > MOST_DIGITS
                    || !value.chars().allMatch(c -> c >= '0' && c <= '9')) {
                throw new BadResponseException(
                        FailureKind.MALFORMED, "content-length is no number, or there are two: " + value);
            }
            length = Long.parseLong(value);
        }
        return length;
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
    public boolean hasField(String name, String value) {
        return fields.stream()
                .anyMatch(field -> field.getName().equalsIgnoreCase(name) && value.equals(field.getValue()));
    }

    @Override
    public boolean fieldContains(String name, String text) {
        String value = field(name);
        return value != null && value.contains(text);
    }
}
