package dev.millrace.load.scenario;

import dev.millrace.load.http.Failure;
import dev.millrace.load.http.FailureKind;
import dev.millrace.load.http.ResponseCheck;
import dev.millrace.load.http.ResponseHead;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** Checks a downloaded file by its catalogue: status, Content-Length, length, CRC32C, MD5. Used by one thread. */
final class DownloadCheck implements ResponseCheck {

    private final Verify verify;
    private final int sampleEvery;
    private final CRC32C crc = new CRC32C();
    private final MessageDigest md5 = CatalogFile.newDigest();
    private CatalogFile file = CatalogFile.NONE;
    private @Nullable Failure headFailure;
    private long length;
    private boolean checksumming;
    private boolean digesting;
    private int downloads;

    /**
     * A check for one client.
     *
     * @param verify      the checks to make
     * @param sampleEvery under {@link Verify#AUTO}, one body in this many is checked by MD5
     */
    DownloadCheck(Verify verify, int sampleEvery) {
        this.verify = verify;
        this.sampleEvery = sampleEvery;
    }

    /** Sets the file that the next answer must be. */
    void expect(CatalogFile next) {
        file = next;
    }

    @Override
    public void begin(ResponseHead head) {
        length = 0;
        downloads++;
        headFailure = headFailure(head);
        boolean content = headFailure == null && file.md5() != null && verify.compareTo(Verify.CRC) >= 0;
        digesting = content
                && (!file.knowsCrc32c()
                        || verify == Verify.MD5
                        || (verify == Verify.AUTO && downloads % sampleEvery == 0));
        checksumming = content;
        crc.reset();
        md5.reset();
    }

    private @Nullable Failure headFailure(ResponseHead head) {
        if (head.status() != ResponseHead.OK) {
            return new Failure(FailureKind.STATUS, "status " + head.status() + " for " + file.name());
        }
        if (verify == Verify.NONE) {
            return null;
        }
        String announced = head.field("Content-Length");
        boolean right = announced == null ? file.isLearnt() : announced.equals(Long.toString(file.size()));
        if (!right) {
            return new Failure(
                    FailureKind.WRONG_HEADER,
                    "Content-Length: " + (announced == null ? "(none)" : announced) + " for " + file.name()
                            + ", the catalogue says " + file.size());
        }
        return null;
    }

    @Override
    public void body(byte[] bytes, int offset, int count) {
        length += count;
        if (checksumming) {
            crc.update(bytes, offset, count);
        }
        if (digesting) {
            md5.update(bytes, offset, count);
        }
    }

    @Override
    public @Nullable Failure end() {
        if (headFailure != null || verify == Verify.NONE) {
            return headFailure;
        }
        if (length < file.size()) {
            return new Failure(FailureKind.SHORT_BODY, length + " of " + file.size() + " bytes of " + file.name());
        }
        if (length > file.size()) {
            return new Failure(
                    FailureKind.WRONG_CONTENT, (length - file.size()) + " surplus bytes after " + file.name());
        }
        if (digesting) {
            String digest = HexFormat.of().formatHex(md5.digest());
            if (!digest.equalsIgnoreCase(file.md5())) {
                return new Failure(
                        FailureKind.WRONG_DIGEST,
                        "MD5 of " + file.name() + " is " + digest + ", the catalogue says " + file.md5());
            }
            file.learnCrc32c(crc.getValue());
            return null;
        }
        if (checksumming && crc.getValue() != file.crc32c()) {
            return new Failure(
                    FailureKind.WRONG_DIGEST,
                    "CRC32C of " + file.name() + " is "
                            + Long.toHexString(crc.getValue()) + ", that of the right content "
                            + Long.toHexString(file.crc32c()));
        }
        return null;
    }
}
