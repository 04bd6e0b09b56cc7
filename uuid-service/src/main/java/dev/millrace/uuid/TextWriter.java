package dev.millrace.uuid;

import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;

/** Writes one UUID per line, or one line with the reason of a refusal. Thread-safe. */
final class TextWriter implements ResponseWriter {
    @Override
    public void writeUuids(List<UUID> uuids, boolean indented, OutputStream out) throws IOException {
        Writer text = new OutputStreamWriter(out, StandardCharsets.UTF_8);
        for (UUID uuid : uuids) {
            text.append(uuid.toString()).append('\n');
        }
        text.close();
    }

    @Override
    public void writeRefusal(Refusal refusal, boolean indented, OutputStream out) throws IOException {
        Writer text = new OutputStreamWriter(out, StandardCharsets.UTF_8);
        text.append(refusal.reason().type());
        if (refusal.hasLocation()) {
            text.append(" at line ").append(Integer.toString(refusal.line()));
            text.append(", column ").append(Integer.toString(refusal.column()));
        }
        text.append(": ").append(refusal.message()).append('\n');
        text.close();
    }
}
