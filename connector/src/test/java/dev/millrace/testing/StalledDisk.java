package dev.millrace.testing;

import dev.millrace.transfer.FileSource;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

/** A file on a disk that does not answer, from the time on when the test says so, until the test says that it does. */
public final class StalledDisk implements FileSource, AutoCloseable {
    private final FileChannel file;
    private final CompletableFuture<Thread> waiting = new CompletableFuture<>();
    private final CountDownLatch answers = new CountDownLatch(1);
    private volatile boolean stalled;

    public StalledDisk(FileChannel file) {
        this.file = file;
    }

    /** From now on, who sends the file waits for the disk. */
    public StalledDisk stall() {
        stalled = true;
        return this;
    }

    /** The first thread that waits for the disk. */
    public CompletableFuture<Thread> waiting() {
        return waiting;
    }

    /** Lets go on who waits for the disk, and who comes later. */
    @Override
    public void close() {
        answers.countDown();
    }

    @Override
    public FileChannel channel() {
        return file;
    }

    @Override
    public long transferTo(long position, long count, WritableByteChannel target) throws IOException {
        if (stalled) {
            waiting.complete(Thread.currentThread());
            try {
                answers.await();
            } catch (InterruptedException x) {
                throw new IOException(x);
            }
        }
        return FileSource.super.transferTo(position, count, target);
    }
}
