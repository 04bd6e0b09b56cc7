package dev.millrace.uuid;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A valid request for UUIDs of one kind. Immutable.
 *
 * @param count number of UUIDs, at least 1
 * @param name the name to hash; null unless the method is {@link UuidMethod#NAME}
 */
record Batch(UuidMethod method, int count, @Nullable String name, Namespace namespace, NameDigest digest) {
    static final int MAX_NAME_CHARS = 1024;

    /**
     * Parses a batch from the texts in the request, null for those that are missing.
     *
     * @throws RefusedException when a text is wrong, or a name is needed and missing
     */
    static Batch parse(
            @Nullable String method,
            @Nullable String count,
            @Nullable String name,
            @Nullable String namespace,
            @Nullable String digest)
            throws RefusedException {
        UuidMethod parsedMethod = UuidMethod.parse(method);
        int parsedCount = parseCount(count);
        Namespace parsedNamespace = Namespace.parse(namespace);
        NameDigest parsedDigest = NameDigest.parse(digest);
        if (parsedMethod != UuidMethod.NAME) {
            return new Batch(parsedMethod, parsedCount, null, parsedNamespace, parsedDigest);
        }
        if (name == null || name.isEmpty()) {
            throw new RefusedException(RefusalReason.WRONG_NAME, "method name needs a name");
        }
        if (name.codePointCount(0, name.length()) > MAX_NAME_CHARS) {
            throw new RefusedException(
                    RefusalReason.WRONG_NAME, "the name is longer than " + MAX_NAME_CHARS + " characters");
        }
        // The name's bytes in UTF-8 are hashed. Half of a surrogate pair, which JSON can escape (RFC 8259 section 8.2),
        // has none: all names with one would have the same UUID.
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(name)) {
            throw new RefusedException(RefusalReason.WRONG_NAME, "the name has half of a surrogate pair");
        }
        return new Batch(parsedMethod, parsedCount, name, parsedNamespace, parsedDigest);
    }

    private static int parseCount(@Nullable String text) throws RefusedException {
        if (text == null) {
            return 1;
        }
        String digits = WhiteSpace.trimmed(text);
        // Nine digits always fit an int. Integer.parseInt would also accept signs and the digits of other scripts.
        boolean number =
                !digits.isEmpty() && digits.length() <= 9 && digits.chars().allMatch(c -> c >= '0' && c <= '9');
        int count = number ? Integer.parseInt(digits) : 0;
        if (count < 1) {
            throw new RefusedException(
                    RefusalReason.WRONG_COUNT, "count " + SafeText.quote(text) + " is not a positive number");
        }
        return count;
    }
}
