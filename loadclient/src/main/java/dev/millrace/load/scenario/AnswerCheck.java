package dev.millrace.load.scenario;

import dev.millrace.load.http.Failure;
import dev.millrace.load.http.FailureKind;
import dev.millrace.load.http.ResponseCheck;
import dev.millrace.load.http.ResponseHead;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Checks an answer of any server. The body is digested while it comes. It is kept only where JSON or XML is expected,
 * or where it may explain a wrong status. Used by one thread.
 */
final class AnswerCheck implements ResponseCheck {

    private static final int MOST_DOCUMENT_BYTES = 16 << 20;
    private static final int MOST_EXCERPT_BYTES = 120;

    private final Expectations expected;
    private final @Nullable MessageDigest digest;
    private final @Nullable DocumentCheck document;
    private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
    private int status;
    private boolean right;
    private long length;

    AnswerCheck(Expectations expected) {
        this.expected = expected;
        this.digest = expected.sha256() == null ? null : newDigest();
        this.document = expected.needDocument() ? new DocumentCheck(expected) : null;
    }

    private static MessageDigest newDigest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    @Override
    public void begin(ResponseHead head) {
        status = head.status();
        right = expected.allow(status);
        length = 0;
        kept.reset();
        if (digest != null) {
            digest.reset();
        }
    }

    @Override
    public void body(byte[] bytes, int offset, int count) {
        length += count;
        if (digest != null) {
            digest.update(bytes, offset, count);
        }
        int most = !right ? MOST_EXCERPT_BYTES : document == null ? 0 : MOST_DOCUMENT_BYTES;
        kept.write(bytes, offset, Math.min(count, most - Math.min(most, kept.size())));
    }

    @Override
    public @Nullable Failure end() {
        if (!right) {
            String excerpt = kept.size() == 0 ? "" : ": " + kept.toString(StandardCharsets.UTF_8);
            return new Failure(
                    FailureKind.STATUS, "status " + status + ", expected " + expected.describeStatuses() + excerpt);
        }
        if (digest != null) {
            String found = HexFormat.of().formatHex(digest.digest());
            if (!found.equals(expected.sha256())) {
                return new Failure(
                        FailureKind.WRONG_DIGEST,
                        "SHA-256 of the body is " + found + ", expected " + expected.sha256());
            }
        }
        if (document == null) {
            return null;
        }
        return length > MOST_DOCUMENT_BYTES
                ? new Failure(FailureKind.WRONG_CONTENT, "a document of " + length + " bytes is too long to be checked")
                : document.failure(kept.toByteArray());
    }
}
