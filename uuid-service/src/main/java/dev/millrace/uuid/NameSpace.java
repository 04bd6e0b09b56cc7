package dev.millrace.uuid;

import com.fasterxml.uuid.impl.NameBasedGenerator;
import java.util.Locale;
import java.util.UUID;

/** The name spaces of RFC 9562 section 6.6, and none: then only the name is hashed, as the service did in 2006. */
enum NameSpace {
    NONE(null),
    DNS(NameBasedGenerator.NAMESPACE_DNS),
    URL(NameBasedGenerator.NAMESPACE_URL),
    OID(NameBasedGenerator.NAMESPACE_OID),
    X500(NameBasedGenerator.NAMESPACE_X500);

    private final UUID uuid;

    NameSpace(UUID uuid) {
        this.uuid = uuid;
    }

    /** The UUID that is hashed before the name, or null for {@link #NONE}. */
    UUID uuid() {
        return uuid;
    }

    /**
     * Reads a name space in any case, with white space around it.
     *
     * @param text the name space, or null for the default, {@link #NONE}
     * @throws RefusedException when there is no such name space
     */
    static NameSpace parse(String text) throws RefusedException {
        if (text == null) {
            return NONE;
        }
        String wanted = text.trim().toLowerCase(Locale.ROOT);
        for (NameSpace nameSpace : values()) {
            if (nameSpace.name().toLowerCase(Locale.ROOT).equals(wanted)) {
                return nameSpace;
            }
        }
        throw new RefusedException(Fault.UNKNOWN_NAMESPACE,
            "namespace " + SafeText.quote(text) + " is none of dns, url, oid, x500, none");
    }
}
