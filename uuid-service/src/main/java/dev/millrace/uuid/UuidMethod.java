package dev.millrace.uuid;

import java.util.Locale;

/** How a UUID is made: one constant per version of RFC 9562 that the service offers. */
enum UuidMethod {
    /** Version 4: 122 random bits. */
    RANDOM,
    /** Version 1: time and node. The field {@code location} of the first articles about the service meant this too. */
    TIME,
    /** Version 5 (SHA-1) or 3 (MD5): the same name gives the same UUID. */
    NAME,
    /** Version 6: as version 1, with the time in an order that sorts. */
    REORDERED,
    /** Version 7: milliseconds since 1970, then random bits. */
    EPOCH;

    /**
     * Reads a method in any case, with white space around it.
     *
     * @param text the method, or null for the default, {@link #RANDOM}
     * @throws RefusedException when there is no such method
     */
    static UuidMethod parse(String text) throws RefusedException {
        if (text == null) {
            return RANDOM;
        }
        switch (text.trim().toUpperCase(Locale.ROOT)) {
            case "RANDOM":
                return RANDOM;
            case "TIME":
            case "LOCATION":
                return TIME;
            case "NAME":
                return NAME;
            case "REORDERED":
                return REORDERED;
            case "EPOCH":
                return EPOCH;
            default:
                throw new RefusedException(Fault.UNKNOWN_METHOD, "method " + SafeText.quote(text)
                    + " is none of random, time, location, name, reordered, epoch");
        }
    }
}
