package dev.millrace.files;

import dev.millrace.files.cache.OpenFile;
import dev.millrace.transfer.FileFailedException;
import dev.millrace.transfer.FileRegion;
import dev.millrace.transfer.TransferAlgorithm;
import dev.millrace.transfer.TruncatedFileException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.LongConsumer;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.IteratingNestedCallback;
import org.jspecify.annotations.Nullable;

/**
 * Writes a part of an open file to a response, token after token; nearly always one. Owns a count of the file, and
 * gives it back when the last write has completed or failed. Only then can nothing touch a token any more.
 */
final class RegionWriter extends IteratingNestedCallback {
    private final Mount mount;
    private final SendPath sendPath;
    private final OpenFile file;
    private final @Nullable TransferAlgorithm algorithm;
    private final boolean withHead;
    private final long begin;
    private final long end;
    private long position;
    private long told;
    private @Nullable FileRegion region;

    /**
     * @param mount told of the bytes of each piece, where there is an obstacle
     * @param sendPath with an end point
     * @param file with a count, which is this writer's from now on
     * @param withHead whether the content is to leave with the header, by one write
     */
    RegionWriter(
            Mount mount,
            SendPath sendPath,
            OpenFile file,
            boolean withHead,
            long offset,
            long bytes,
            Callback callback) {
        super(callback);
        this.mount = mount;
        this.algorithm = mount.settings().transferAlgorithm();
        this.withHead = withHead;
        this.sendPath = sendPath;
        this.file = file;
        this.begin = offset;
        this.position = offset;
        this.told = offset;
        this.end = offset + bytes;
    }

    @Override
    protected Action process() throws Exception {
        if (position == end) {
            return Action.SUCCEEDED;
        }
        region = region();
        ByteBuffer token = region.token();
        sendPath.transferEndPoint().announce(region);
        position += token.remaining();
        // A write that a layer gives up is ended at once: a flush would send the token while the file is unmapped.
        // Nothing is to be released here: the token is given back with the file, after the last write.
        sendPath.lend(() -> {}, position == end, token, this);
        return Action.SCHEDULED;
    }

    private FileRegion region() throws IOException {
        try {
            if (file.size() < end) {
                throw new TruncatedFileException(file.path(), end, file.size());
            }
            if (position > begin) {
                // A region asks between its own parts only. Between regions it is asked here.
                file.checkNotOverwritten(true);
            }
            ByteBuffer token = file.token(position, end - position);
            LongConsumer onPartSent = sendPath.obstacle() == null ? null : this::onSentUntil;
            FileRegion next = new FileRegion(file, position, token, algorithm, withHead, onPartSent);
            if (withHead) {
                // The end point would find out before anything has left, but could no longer answer 500.
                next.checkNotTruncated();
            }
            return next;
        } catch (FileFailedException x) {
            sendPath.tell(x);
            throw x;
        }
    }

    @Override
    protected void onSuccess() {
        // A region tells of each of its parts but the last.
        if (sendPath.obstacle() != null) {
            onSentUntil(position);
        }
        withdraw();
    }

    // One thread at a time sends.
    private void onSentUntil(long end) {
        mount.onCopied(sendPath.copiedBy(), end - told);
        told = end;
    }

    @Override
    protected void onCompleteSuccess() {
        file.release();
        super.onCompleteSuccess();
    }

    @Override
    protected void onCompleteFailure(Throwable cause) {
        withdraw();
        file.release();
        super.onCompleteFailure(cause);
    }

    private void withdraw() {
        if (region != null) {
            sendPath.transferEndPoint().withdraw(region);
            region = null;
        }
    }
}
