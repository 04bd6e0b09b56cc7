package dev.millrace.uuid;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The methods that make a UUID, with one constant per version of RFC 9562 that the service offers. */
enum UuidMethod {
    /** Version 4: 122 random bits. */
    RANDOM,
    /** Version 1: time and node. The first articles about the service called this {@code location} too. */
    TIME,
    /** Version 5 (SHA-1) or 3 (MD5): the same name gives the same UUID. */
    NAME,
    /** Version 6: version 1 with the time's most significant bits first, so that UUIDs sort by time. */
    REORDERED,
    /** Version 7: milliseconds since 1970, then random bits. */
    EPOCH;

    /**
     * Parses a method in any case, with white space around it.
     *
     * @param text the method, or null for the default, {@link #RANDOM}
     * @throws RefusedException when there is no such method
     */
    static UuidMethod parse(@Nullable String text) throws RefusedException {
        if (text == null) {
            return RANDOM;
        }
        return switch (WhiteSpace.trimmed(text).toUpperCase(Locale.ROOT)) {
            case "RANDOM" -> RANDOM;
            case "TIME", "LOCATION" -> TIME;
            case "NAME" -> NAME;
            case "REORDERED" -> REORDERED;
            case "EPOCH" -> EPOCH;
            default ->
                throw new RefusedException(
                        RefusalReason.UNKNOWN_METHOD,
                        "method " + SafeText.quote(text)
                                + " is none of random, time, location, name, reordered, epoch");
        };
    }
}
