package dev.millrace.uuid;

import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;

/**
 * Writes {@code {"uuids":["..."]}} and {@code {"error":{"msg":"...","cause":{"type":"...","line":1,"column":1}}}}
 * (RFC 8259) as a stream. Thread-safe.
 */
final class JsonWriter implements ResponseWriter {
    @Override
    public void writeUuids(List<UUID> uuids, boolean indented, OutputStream out) throws IOException {
        Writer json = new OutputStreamWriter(out, StandardCharsets.UTF_8);
        String lineBreak = indented ? "\n    " : "";
        json.append(indented ? "{\n  \"uuids\": [" : "{\"uuids\":[");
        String separator = "";
        for (UUID uuid : uuids) {
            json.append(separator)
                    .append(lineBreak)
                    .append('"')
                    .append(uuid.toString())
                    .append('"');
            separator = ",";
        }
        json.append(indented ? "\n  ]\n}\n" : "]}");
        json.close();
    }

    @Override
    public void writeRefusal(Refusal refusal, boolean indented, OutputStream out) throws IOException {
        Writer json = new OutputStreamWriter(out, StandardCharsets.UTF_8);
        String lineBreak = indented ? "\n  " : "";
        json.append("{\"error\":{").append(lineBreak).append("\"msg\":");
        appendString(json, refusal.message());
        json.append(',').append(lineBreak).append("\"cause\":{\"type\":");
        appendString(json, refusal.reason().type());
        if (refusal.hasLocation()) {
            json.append(",\"line\":").append(Integer.toString(refusal.line()));
            json.append(",\"column\":").append(Integer.toString(refusal.column()));
        }
        json.append(indented ? "}\n}}\n" : "}}}");
        json.close();
    }

    /** RFC 8259 section 7: the quotation mark, the reverse solidus and the control characters must be escaped. */
    static void appendString(Writer json, String text) throws IOException {
        json.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                json.append('\\').append(c);
            } else if (c < ' ') {
                json.append(String.format("\\u%04x", (int) c));
            } else {
                json.append(c);
            }
        }
        json.append('"');
    }
}
