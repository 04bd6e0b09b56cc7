package dev.millrace.load.scenario;

import dev.millrace.load.http.Failure;
import dev.millrace.load.http.FailureKind;
import dev.millrace.load.http.ResponseCheck;
import dev.millrace.load.http.ResponseHead;
import org.jspecify.annotations.Nullable;

/**
 * Checks one part of a file (RFC 9110 section 15.3.7): status, Content-Range, Content-Length, and every byte. Used by
 * one thread.
 */
final class RangeCheck implements ResponseCheck {

    private final ReferenceFiles reference;
    private CatalogFile file = CatalogFile.NONE;
    private long first;
    private long last;
    private long position;
    private boolean same;
    private @Nullable Failure headFailure;

    RangeCheck(ReferenceFiles reference) {
        this.reference = reference;
    }

    /** Sets the bytes of a file that the next answer must carry, both ends included. */
    void expect(CatalogFile next, long firstByte, long lastByte) {
        file = next;
        first = firstByte;
        last = lastByte;
    }

    @Override
    public void begin(ResponseHead head) {
        position = first;
        same = true;
        headFailure = partFailure(head, file, first, last);
    }

    /** The failure in the head of an answer that should carry these bytes of a file; null if it is right. */
    static @Nullable Failure partFailure(ResponseHead head, CatalogFile file, long first, long last) {
        String wanted = "bytes " + first + "-" + last + "/" + file.size();
        if (head.status() != ResponseHead.PARTIAL_CONTENT) {
            return new Failure(FailureKind.STATUS, "status " + head.status() + " for " + wanted + " of " + file.name());
        }
        String range = head.field("Content-Range");
        if (range == null || !range.equals(wanted)) {
            return new Failure(
                    FailureKind.WRONG_HEADER,
                    "Content-Range: " + (range == null ? "(none)" : range) + " for " + wanted + " of " + file.name());
        }
        String length = head.field("Content-Length");
        if (length != null && !length.equals(Long.toString(last - first + 1))) {
            return new Failure(
                    FailureKind.WRONG_HEADER, "Content-Length: " + length + " for " + wanted + " of " + file.name());
        }
        return null;
    }

    @Override
    public void body(byte[] chunk, int offset, int length) {
        same = same && headFailure == null && reference.matches(file, position, chunk, offset, length);
        position += length;
    }

    @Override
    public @Nullable Failure end() {
        if (headFailure != null) {
            return headFailure;
        }
        String part = "bytes " + first + "-" + last + " of " + file.name();
        if (position <= last) {
            return new Failure(FailureKind.SHORT_BODY, position - first + " bytes of " + part);
        }
        if (position > last + 1) {
            return new Failure(FailureKind.WRONG_CONTENT, position - last - 1 + " surplus bytes after " + part);
        }
        return same ? null : new Failure(FailureKind.WRONG_DIGEST, "other bytes than the file's in " + part);
    }
}
