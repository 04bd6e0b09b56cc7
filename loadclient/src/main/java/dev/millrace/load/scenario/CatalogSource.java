package dev.millrace.load.scenario;

import dev.millrace.load.http.AnswerCheck;
import dev.millrace.load.http.Call;
import dev.millrace.load.http.Failure;
import dev.millrace.load.http.Fault;
import dev.millrace.load.http.HttpConnection;
import dev.millrace.load.http.Requests;
import dev.millrace.load.http.ResponseHead;
import dev.millrace.load.http.SocketSettings;
import dev.millrace.load.http.Target;
import dev.millrace.load.http.Timing;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Fetches a catalogue from the server that is measured. Stateless. */
public final class CatalogSource {

    private static final int BUFFER_BYTES = 64 * 1024;

    private CatalogSource() {
    }

    /**
     * Fetches and reads a catalogue.
     *
     * @param target        its URL
     * @param timeoutMillis bound on connecting and on the answer; a server may have to digest its files first
     * @throws IOException if there is no answer in time, or it is no catalogue; the message is for people
     */
    public static Catalog fetch(Target target, int timeoutMillis) throws IOException {
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "catalogue-timeout");
            thread.setDaemon(true);
            return thread;
        });
        SocketSettings settings = new SocketSettings(null, 0, timeoutMillis);
        try (HttpConnection connection = HttpConnection.open(target.address(), settings, new byte[BUFFER_BYTES])) {
            timer.schedule(connection::abort, timeoutMillis, TimeUnit.MILLISECONDS);
            Collector collector = new Collector();
            byte[] request = Requests.of("GET", target, false, List.of(), null);
            Failure failure = connection.exchange(new Call(request, collector), new Timing(), count -> { });
            if (failure != null) {
                throw new IOException(failure.detail());
            }
            return Catalog.parse(collector.bytes.toByteArray());
        } catch (IOException e) {
            throw new IOException("cannot read the catalogue " + target.uri() + ": " + e.getMessage(), e);
        } finally {
            timer.shutdownNow();
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
