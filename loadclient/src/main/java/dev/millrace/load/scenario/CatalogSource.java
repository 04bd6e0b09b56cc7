package dev.millrace.load.scenario;

import dev.millrace.load.http.AnswerCheck;
import dev.millrace.load.http.Failure;
import dev.millrace.load.http.Fault;
import dev.millrace.load.http.ResponseHead;
import dev.millrace.load.http.Target;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;

/** Fetches a catalogue from the server that is measured. Stateless. */
public final class CatalogSource {

    private CatalogSource() {
    }

    /**
     * Fetches and reads a catalogue.
     *
     * @param target        its URL
     * @param headers       further request fields
     * @param timeoutMillis bound on connecting, and on waiting for the answer and for its next bytes; a server may have
     *                      to digest its files first
     * @throws IOException if there is no answer in time, or it is no catalogue; the message is for people
     */
    public static Catalog fetch(Target target, List<String> headers, int timeoutMillis) throws IOException {
        Collector collector = new Collector();
        try {
            Fetch.get(target, headers, collector, timeoutMillis);
            return Catalog.parse(collector.bytes.toByteArray());
        } catch (IOException e) {
            throw new IOException("cannot read the catalogue " + target.uri() + ": " + e.getMessage(), e);
        }
    }

    private static final class Collector implements AnswerCheck {

        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private int status;

        @Override
        public void begin(ResponseHead head) {
            status = head.status();
        }

        @Override
        public void body(byte[] chunk, int offset, int length) {
            bytes.write(chunk, offset, length);
        }

        @Override
        public Failure end() {
            return status == ResponseHead.OK ? null : new Failure(Fault.STATUS, "status " + status);
        }
    }
}
