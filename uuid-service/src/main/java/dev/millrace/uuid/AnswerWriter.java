package dev.millrace.uuid;

import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.UUID;

/** Writes answers in one format, and closes the stream that they go to. Thread-safe. */
interface AnswerWriter {
    /**
     * Writes UUIDs.
     *
     * @param indented for people: line breaks and indentation, where the format has them
     */
    void writeUuids(List<UUID> uuids, boolean indented, OutputStream out) throws IOException;

    /** Writes why there are no UUIDs. */
    void writeRefusal(Refusal refusal, boolean indented, OutputStream out) throws IOException;
}
