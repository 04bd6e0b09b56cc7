package dev.millrace.uuid;

import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.UUID;

/** Writes responses in one format, and closes their streams. Thread-safe. */
interface ResponseWriter {
    /**
     * Writes UUIDs.
     *
     * @param indented whether to add line breaks and indentation for people, where the format has them
     */
    void writeUuids(List<UUID> uuids, boolean indented, OutputStream out) throws IOException;

    /** Writes the reason why there are no UUIDs. */
    void writeRefusal(Refusal refusal, boolean indented, OutputStream out) throws IOException;
}
