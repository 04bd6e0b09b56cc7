package dev.millrace.files;

import dev.millrace.transfer.FileRegion;
import dev.millrace.transfer.TransferAlgorithm;
import dev.millrace.transfer.TransferEndPoint;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.IteratingNestedCallback;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes a part of an open file to a response, token after token; nearly always one. Owns a count of the file, and
 * gives it back when the last write has completed or failed: only then is nobody left who might touch a token.
 */
final class RegionWriter extends IteratingNestedCallback {
    private static final Logger LOG = LoggerFactory.getLogger(RegionWriter.class);

    private final TransferEndPoint endPoint;
    private final Content.Sink sink;
    private final OpenFile file;
    private final TransferAlgorithm algorithm;
    private final boolean withHead;
    private final long end;
    private long position;
    private boolean writing;

    /**
     * @param algorithm null: as the connector says
     * @param withHead whether the content is to leave with the header, by one write
     */
    RegionWriter(TransferEndPoint endPoint, Content.Sink sink, OpenFile file, TransferAlgorithm algorithm, boolean withHead,
            long offset, long bytes, Callback callback) {
        super(callback);
        this.algorithm = algorithm;
        this.withHead = withHead;
        this.endPoint = endPoint;
        this.sink = sink;
        this.file = file;
        this.position = offset;
        this.end = offset + bytes;
    }

    @Override
    protected Action process() throws Exception {
        if (position == end) {
            return Action.SUCCEEDED;
        }
        ByteBuffer token = token();
        endPoint.announce(new FileRegion(file, position, token, file.path(), algorithm, withHead));
        position += token.remaining();
        writing = true;
        sink.write(position == end, token, this);
        return Action.SCHEDULED;
    }

    private ByteBuffer token() throws IOException {
        try {
            if (file.size() < end) {
                throw new ShortFileException(file.path(), end);
            }
            return file.token(position, end - position);
        } catch (ShortFileException x) {
            LOG.warn("Aborting an answer: {}", x.getMessage());
            throw x;
        }
    }

    @Override
    protected void onSuccess() {
        writing = false;
        endPoint.withdraw();
    }

    @Override
    protected void onCompleteSuccess() {
        file.release();
        super.onCompleteSuccess();
    }

    // A flush would send the token while the file is unmapped.
    @Override
    protected void onFailure(Throwable cause) {
        if (writing) {
            Route.cancelWrite(sink, endPoint, cause);
        }
        super.onFailure(cause);
    }

    @Override
    protected void onCompleteFailure(Throwable cause) {
        endPoint.withdraw();
        file.release();
        super.onCompleteFailure(cause);
    }
}
