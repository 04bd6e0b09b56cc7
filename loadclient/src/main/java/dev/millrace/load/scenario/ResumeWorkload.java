package dev.millrace.load.scenario;

import dev.millrace.load.http.Call;
import dev.millrace.load.http.Failure;
import dev.millrace.load.http.FailureKind;
import dev.millrace.load.http.ResponseCheck;
import dev.millrace.load.http.ResponseHead;
import dev.millrace.load.http.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Downloads that are broken off at a random place and resumed. The client closes the connection there, and requests the
 * rest with {@code Range} and {@code If-Range} on a new one (RFC 9110 section 13.1.5). Both parts are checked as one
 * body. Immutable.
 */
public final class ResumeWorkload extends FileWorkload {

    private final List<CatalogFile> files;
    private final Verify verify;
    private final List<String> headers;

    /**
     * Downloads of these files.
     *
     * @param base    URL that the files' names are relative to
     * @param label   name of the selection in reports
     * @param files   the files, repeated by their weights
     * @param verify  the checks of whole bodies
     * @param headers further request fields
     */
    public ResumeWorkload(Target base, String label, List<CatalogFile> files, Verify verify, List<String> headers) {
        super(base, label, true);
        this.files = List.copyOf(files);
        this.verify = verify;
        this.headers = List.copyOf(headers);
    }

    @Override
    public Map<String, String> parameters() {
        Map<String, String> parameters = super.parameters();
        parameters.put("resume", "on");
        return parameters;
    }

    @Override
    public Script script(long seed) {
        return new Resuming(new SplittableRandom(seed));
    }

    /** One client's downloads, and the check of their parts. */
    private final class Resuming implements Script, ResponseCheck {

        private final SplittableRandom random;
        private final DownloadCheck whole = new DownloadCheck(verify, 1);
        private CatalogFile file = CatalogFile.NONE;
        private long received;
        private boolean wasBrokenOff;
        private boolean isSecondPart;
        private @Nullable String validator;
        private @Nullable Failure partFailure;

        Resuming(SplittableRandom random) {
            this.random = random;
        }

        @Override
        public Call next() {
            isSecondPart = wasBrokenOff;
            wasBrokenOff = false;
            List<String> fields = new ArrayList<>(headers);
            long stopAfter = 0;
            if (isSecondPart) {
                fields.add("Range: bytes=" + received + "-");
                if (validator != null) {
                    fields.add("If-Range: " + validator);
                }
            } else {
                file = files.get(random.nextInt(files.size()));
                received = 0;
                stopAfter = file.size() > 1 ? random.nextLong(1, file.size()) : 0;
            }
            whole.expect(file);
            return new Call(get(file, fields), this, 1, stopAfter);
        }

        @Override
        public void begin(ResponseHead head) {
            if (!isSecondPart) {
                partFailure = null;
                validator = validator(head);
                whole.begin(head);
                return;
            }
            partFailure = RangeCheck.partFailure(head, file, received, file.size() - 1);
            String now = validator(head);
            // RFC 9110 section 15.3.7: a part carries the same validators as the whole.
            if (partFailure == null && validator != null && now != null && !validator.equals(now)) {
                partFailure = new Failure(
                        FailureKind.WRONG_HEADER,
                        "the rest of " + file.name() + " is of " + now + ", what came before of " + validator);
            }
        }

        /** A strong ETag, otherwise the date, because RFC 9110 section 13.1.5 forbids weak ETags in If-Range. */
        private @Nullable String validator(ResponseHead head) {
            String tag = head.field("ETag");
            if (tag != null && !tag.startsWith("W/")) {
                return tag;
            }
            return head.field("Last-Modified");
        }

        @Override
        public void body(byte[] chunk, int offset, int length) {
            received += length;
            if (partFailure == null) {
                whole.body(chunk, offset, length);
            }
        }

        @Override
        public void stopped() {
            wasBrokenOff = true;
        }

        @Override
        public @Nullable Failure end() {
            return partFailure != null ? partFailure : whole.end();
        }
    }
}
