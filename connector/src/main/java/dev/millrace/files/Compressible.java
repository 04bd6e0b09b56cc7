package dev.millrace.files;

import java.util.Set;

/** MIME types whose content becomes notably smaller by compression. */
final class Compressible {
    private static final Set<String> TYPES = Set.of(
            "application/javascript",
            "application/json",
            "application/wasm",
            "application/x-javascript",
            "application/xml",
            "application/rtf",
            "font/ttf",
            "font/otf",
            "image/bmp",
            "image/x-icon",
            "image/vnd.microsoft.icon");

    private Compressible() {}

    static boolean byDefault(String mimeType) {
        return mimeType.startsWith("text/")
                || mimeType.endsWith("+xml")
                || mimeType.endsWith("+json")
                || TYPES.contains(mimeType);
    }
}
