package dev.millrace.uuid;

import com.fasterxml.uuid.impl.NameBasedGenerator;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The namespaces of RFC 9562 section 6.6. With NONE only the name is hashed, as the service of 2006 did. */
enum Namespace {
    NONE(null),
    DNS(NameBasedGenerator.NAMESPACE_DNS),
    URL(NameBasedGenerator.NAMESPACE_URL),
    OID(NameBasedGenerator.NAMESPACE_OID),
    X500(NameBasedGenerator.NAMESPACE_X500);

    private final @Nullable UUID uuid;

    Namespace(@Nullable UUID uuid) {
        this.uuid = uuid;
    }

    /** The UUID that is hashed before the name, or null for {@link #NONE}. */
    @Nullable UUID uuid() {
        return uuid;
    }

    /**
     * Parses a namespace in any case, with white space around it.
     *
     * @param text the namespace, or null for the default, {@link #NONE}
     * @throws RefusedException when there is no such namespace
     */
    static Namespace parse(@Nullable String text) throws RefusedException {
        if (text == null) {
            return NONE;
        }
        String wanted = WhiteSpace.trimmed(text).toLowerCase(Locale.ROOT);
        for (Namespace namespace : values()) {
            if (namespace.name().toLowerCase(Locale.ROOT).equals(wanted)) {
                return namespace;
            }
        }
        throw new RefusedException(
                RefusalReason.UNKNOWN_NAMESPACE,
                "namespace " + SafeText.quote(text) + " is none of dns, url, oid, x500, none");
    }
}
