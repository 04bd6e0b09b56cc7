package dev.millrace.files;

import dev.millrace.transfer.FileRegion;
import dev.millrace.transfer.OverwrittenFileException;
import dev.millrace.transfer.TransferAlgorithm;
import dev.millrace.transfer.TransferEndPoint;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.eclipse.jetty.io.Content;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One part of an answer of several ranges, as tokens: each is announced when it is read, for who reads it writes it
 * next, and withdrawn when it is released. Read by one thread at a time. Owns a count of the file, and so does each
 * token that is not released.
 */
final class TransferPart implements Content.Source {
    private static final Logger LOG = LoggerFactory.getLogger(TransferPart.class);

    private final TransferEndPoint endPoint;
    private final OpenFile file;
    private final TransferAlgorithm algorithm;
    private final long length;
    private long position;
    private long left;
    private boolean isOwner = true;
    private Content.Chunk failure;

    /**
     * @param file with a count, which is this part's from now on
     * @param algorithm null: as the connector says
     */
    TransferPart(TransferEndPoint endPoint, OpenFile file, TransferAlgorithm algorithm, long offset, long length) {
        this.algorithm = algorithm;
        this.endPoint = endPoint;
        this.file = file;
        this.length = length;
        this.position = offset;
        this.left = length;
    }

    @Override
    public long getLength() {
        return length;
    }

    @Override
    public Content.Chunk read() {
        if (failure != null) {
            return failure;
        }
        if (left == 0) {
            return Content.Chunk.EOF;
        }
        if (!file.retain()) {
            fail(new IOException(file + " was closed"));
            return failure;
        }
        ByteBuffer token;
        try {
            file.checkNotOverwritten();
            token = file.token(position, left);
        } catch (IOException x) {
            if (x instanceof ShortFileException || x instanceof OverwrittenFileException) {
                LOG.warn("Aborting an answer: {}", x.getMessage());
            }
            file.release();
            fail(x);
            return failure;
        }
        endPoint.announce(new FileRegion(file, position, token, file.path(), algorithm, false));
        position += token.remaining();
        left -= token.remaining();
        if (left == 0) {
            giveBack();
        }
        return Content.Chunk.from(token, left == 0, this::onWritten);
    }

    private void onWritten() {
        endPoint.withdraw();
        file.onPartSent(position);
        file.release();
    }

    private void giveBack() {
        if (isOwner) {
            isOwner = false;
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
            giveBack();
        }
    }
}
