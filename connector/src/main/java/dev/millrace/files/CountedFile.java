package dev.millrace.files;

import dev.millrace.transfer.FileSource;
import dev.millrace.transfer.OverwrittenFileException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.function.LongConsumer;

/** Tells how much of a file is sent, while it is. For one region after the other; one thread at a time sends. */
final class CountedFile implements FileSource {
    private final FileSource file;
    private final LongConsumer onSent;
    private long told;

    /**
     * @param file borrowed
     * @param begin where the first byte that is sent stands in the file
     * @param onSent told of the bytes of each part
     */
    CountedFile(FileSource file, long begin, LongConsumer onSent) {
        this.file = file;
        this.told = begin;
        this.onSent = onSent;
    }

    /** Tells of what was not told before. */
    void onSentUntil(long end) {
        onSent.accept(end - told);
        told = end;
    }

    @Override
    public FileChannel channel() throws IOException {
        return file.channel();
    }

    @Override
    public void onTruncated() {
        file.onTruncated();
    }

    @Override
    public void onPartSent(long end) {
        onSentUntil(end);
        file.onPartSent(end);
    }

    @Override
    public void checkNotOverwritten() throws OverwrittenFileException {
        file.checkNotOverwritten();
    }
}
