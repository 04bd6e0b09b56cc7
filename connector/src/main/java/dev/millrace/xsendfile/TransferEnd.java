package dev.millrace.xsendfile;

import dev.millrace.transfer.FileFailedException;
import java.nio.file.FileSystemException;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.NanoTime;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells the listeners how a transfer ended, once, after its response is completed. */
final class TransferEnd extends Callback.Nested {
    private static final Logger LOG = LoggerFactory.getLogger(TransferEnd.class);
    private static final AtomicLong NUMBERS = new AtomicLong(System.currentTimeMillis());

    private final List<TransferListener> listeners;
    private final DelegatedFile file;
    private final MeasuredResponse response;
    private final long beginNanoTime = NanoTime.now();
    private final AtomicBoolean ended = new AtomicBoolean();

    TransferEnd(List<TransferListener> listeners, DelegatedFile file, MeasuredResponse response, Callback callback) {
        super(callback);
        this.listeners = listeners;
        this.file = file;
        this.response = response;
    }

    @Override
    public void succeeded() {
        TransferResult result = result(TransferResult.Outcome.DONE);
        try {
            super.succeeded();
        } finally {
            tell(result);
        }
    }

    @Override
    public void failed(Throwable cause) {
        TransferResult result = result(outcome(cause));
        try {
            super.failed(cause);
        } finally {
            tell(result);
        }
    }

    private TransferResult.Outcome outcome(Throwable cause) {
        for (Throwable x = cause; x != null; x = x.getCause()) {
            if (x instanceof TimeoutException) {
                return TransferResult.Outcome.TIMED_OUT;
            }
            if (x instanceof FileFailedException || x instanceof FileSystemException) {
                return TransferResult.Outcome.FAILED;
            }
        }
        return TransferResult.Outcome.CLIENT_GONE;
    }

    private TransferResult result(TransferResult.Outcome outcome) {
        String id = file.downloadId() == null ? Long.toString(NUMBERS.incrementAndGet(), 36) : file.downloadId();
        return new TransferResult(
                id, file.named(), response.getStatus(), outcome, response.bytes(), NanoTime.since(beginNanoTime));
    }

    private void tell(TransferResult result) {
        if (ended.compareAndSet(false, true)) {
            for (TransferListener listener : listeners) {
                try {
                    listener.onTransferEnd(result);
                } catch (Throwable x) {
                    LOG.warn("{} failed for {}", listener, RootedFile.printable(result), x);
                }
            }
        }
    }
}
