package dev.millrace.files;

import dev.millrace.files.cache.OpenFile;
import dev.millrace.transfer.FileFailedException;
import dev.millrace.transfer.FileRegion;
import dev.millrace.transfer.TransferAlgorithm;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EofException;
import org.jspecify.annotations.Nullable;

/**
 * One part of an answer of several ranges, as tokens. Each is announced when it is read, for what reads it writes it
 * next, and withdrawn when it is released. Read by one thread at a time. Owns a count of the file until the last
 * token is read, and so does each token that is not released.
 */
final class TransferPart implements Content.Source {
    private final SendPath sendPath;
    private final OpenFile file;
    private final @Nullable TransferAlgorithm algorithm;
    private long position;
    private long left;
    private Content.@Nullable Chunk failure;

    /**
     * @param sendPath without an obstacle
     * @param file with a count, which is this part's from now on
     * @param algorithm null: as the connector says
     */
    TransferPart(SendPath sendPath, OpenFile file, @Nullable TransferAlgorithm algorithm, long offset, long length) {
        this.algorithm = algorithm;
        this.sendPath = sendPath;
        this.file = file;
        this.position = offset;
        this.left = length;
    }

    @Override
    public Content.@Nullable Chunk read() {
        if (failure != null) {
            return failure;
        }
        if (left == 0) {
            return Content.Chunk.EOF;
        }
        ByteBuffer token;
        try {
            // A region asks between its own parts only. Between regions it is asked here.
            file.checkNotOverwritten(true);
            token = file.token(position, left);
        } catch (IOException | RuntimeException | Error x) {
            if (x instanceof FileFailedException failed) {
                sendPath.tell(failed);
            }
            fail(x);
            return failure;
        }
        FileRegion region = new FileRegion(file, position, token, algorithm, false, null);
        sendPath.transferEndPoint().announce(region);
        position += token.remaining();
        left -= token.remaining();
        if (left > 0) {
            // Cannot fail: this part has a count, which the last token takes over.
            file.retain();
        }
        return Content.Chunk.from(token, left == 0, () -> onReleased(region));
    }

    private void onReleased(FileRegion region) {
        try {
            if (region.remaining() > 0) {
                // The part has not left whole: its write has failed, or is given up while it is pending.
                ReleasingCallback.cancel(sendPath.response(), false, new EofException("a part was given up"));
            }
        } finally {
            sendPath.transferEndPoint().withdraw(region);
            file.release();
        }
    }

    @Override
    public void demand(Runnable ready) {
        ready.run();
    }

    @Override
    public void fail(Throwable cause) {
        if (failure == null) {
            failure = Content.Chunk.from(cause, true);
            if (left > 0) {
                file.release();
            }
        }
    }
}
