package dev.millrace.files;

import dev.millrace.files.cache.ContentCache;
import dev.millrace.files.cache.ContentMemory;
import dev.millrace.files.cache.FileCloser;
import dev.millrace.files.cache.OpenFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.util.Callback;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What getting the bytes of a small file costs before they are written, by one read of the open file, and from the
 * content cache. The write is the same for both, and is left out.
 *
 * <pre>mvn -pl connector -Pbench clean test-compile exec:exec</pre>
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class SmallFileBenchmark {
    @Param({"808", "4096", "16384", "65536"})
    int bytes;

    @Param({"read", "cache"})
    String from;

    private Path file;
    private OpenFile open;
    private ContentCache.Slot slot;
    private ContentCache cache;
    private final ByteBufferPool pool = new org.eclipse.jetty.io.ArrayByteBufferPool();

    @Setup
    public void open() throws IOException {
        file = Files.createTempFile("millrace", ".bin");
        Files.write(file, new byte[bytes]);
        open = OpenFile.open(file, new FileCloser());
        cache = ContentCache.of(null, 1 << 20, 1 << 16, new ContentCache.Counts());
        slot = cache.slot(open);
    }

    @TearDown
    public void close() throws IOException {
        cache.clear();
        open.release();
        Files.delete(file);
    }

    /** Discards what is written to it, as an end point whose peer takes everything. */
    private static final Content.Sink SINK = (last, buffer, callback) -> {
        buffer.position(buffer.limit());
        callback.succeeded();
    };

    @Benchmark
    public void send() throws IOException {
        ContentMemory memory = from.equals("cache") ? slot.use() : null;
        if (memory != null) {
            SINK.write(true, memory.part(0, bytes), Callback.from(memory::release, Callback.NOOP));
            return;
        }
        var block = pool.acquire(bytes, true);
        ByteBuffer buffer = block.getByteBuffer();
        buffer.clear().limit(bytes);
        open.read(buffer, 0);
        buffer.flip();
        SINK.write(true, buffer, Callback.from(block::release, Callback.NOOP));
    }
}
