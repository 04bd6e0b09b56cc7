package dev.millrace.uuid;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The hash of a name-based UUID: SHA-1 makes version 5, MD5 version 3. */
enum NameDigest {
    SHA_1("SHA-1"),
    MD5("MD5");

    private final String algorithm;

    NameDigest(String algorithm) {
        this.algorithm = algorithm;
    }

    /** A new digest. Digests are not thread-safe, and a shared one would need a lock. */
    MessageDigest create() {
        try {
            return MessageDigest.getInstance(algorithm);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform must support " + algorithm, e);
        }
    }

    /**
     * Reads a digest in any case, SHA-1 with or without its hyphen.
     *
     * @param text the digest, or null for the default, {@link #SHA_1}
     * @throws RefusedException when there is no such digest
     */
    static NameDigest parse(@Nullable String text) throws RefusedException {
        if (text == null) {
            return SHA_1;
        }
        return switch (WhiteSpace.trimmed(text).toLowerCase(Locale.ROOT)) {
            case "sha-1", "sha1" -> SHA_1;
            case "md5" -> MD5;
            default ->
                throw new RefusedException(
                        RefusalReason.UNKNOWN_DIGEST, "digest " + SafeText.quote(text) + " is none of sha-1, md5");
        };
    }
}
