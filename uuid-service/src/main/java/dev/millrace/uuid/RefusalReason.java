package dev.millrace.uuid;

/** The reasons of refusals, with their status codes (RFC 9110 section 15) and words in {@code <cause type="">}. */
enum RefusalReason {
    MALFORMED_QUERY(400, "malformed-query"),
    MALFORMED_XML(400, "malformed-xml"),
    MALFORMED_JSON(400, "malformed-json"),
    INVALID_DOCUMENT(400, "invalid-document"),
    METHOD_NOT_ALLOWED(405, "method-not-allowed"),
    NOT_ACCEPTABLE(406, "not-acceptable"),
    BODY_TOO_LARGE(413, "body-too-large"),
    UNSUPPORTED_MEDIA_TYPE(415, "unsupported-media-type"),
    UNKNOWN_PARAMETER(422, "unknown-parameter"),
    UNKNOWN_METHOD(422, "unknown-method"),
    WRONG_COUNT(422, "wrong-count"),
    TOO_MANY_UUIDS(422, "too-many-uuids"),
    WRONG_NAME(422, "wrong-name"),
    UNKNOWN_NAMESPACE(422, "unknown-namespace"),
    UNKNOWN_DIGEST(422, "unknown-digest"),
    INTERNAL(500, "internal");

    private final int status;
    private final String type;

    RefusalReason(int status, String type) {
        this.status = status;
        this.type = type;
    }

    int status() {
        return status;
    }

    String type() {
        return type;
    }
}
