package dev.millrace.files;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** Paths of URIs as Jetty decodes them: what is not of ASCII is there as it is, the rest is still encoded. */
final class EncodedPath {
    private static final HexFormat HEX = HexFormat.of().withUpperCase();
    private static final char MOST_ASCII = 127;

    private EncodedPath() {}

    /**
     * @param decoded a path, or a path with a query
     * @return the same in ASCII alone (RFC 3986 section 2.5)
     */
    static String of(String decoded) {
        if (isAscii(decoded)) {
            return decoded;
        }
        StringBuilder encoded = new StringBuilder();
        for (byte octet : decoded.getBytes(StandardCharsets.UTF_8)) {
            if (octet < 0) {
                encoded.append('%').append(HEX.toHexDigits(octet));
            } else {
                encoded.append((char) octet);
            }
        }
        return encoded.toString();
    }

    // A loop allocates nothing, as an encoder of the JDK's would: each path that no cache knows comes by here.
    private static boolean isAscii(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) > MOST_ASCII) {
                return false;
            }
        }
        return true;
    }
}
