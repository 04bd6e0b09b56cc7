package dev.millrace.files.cache;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
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
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What it costs to map a file of 1 MiB and to end the mapping, in a JVM with so many other threads, which sleep. One
 * thread does so, or eight at once, or the collector ends the mapping.
 * <pre>
 * mvn -q -Pbench -pl connector clean test-compile exec:exec -Dbench.args="MappingBenchmark"
 * </pre>
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(1)
public class MappingBenchmark {
    @Param({"20", "200", "1000"})
    public int threads;

    /** Without a bound: the collector may end them late. */
    private final Mappings mappings = new Mappings(Integer.MAX_VALUE);

    private final List<Thread> sleepers = new ArrayList<>();
    private volatile boolean ended;
    private Path file;
    private FileChannel channel;

    @Setup
    public void prepare() throws IOException {
        file = Files.createTempFile("millrace", ".bin");
        Files.write(file, new byte[1 << 20]);
        channel = FileChannel.open(file, StandardOpenOption.READ);
        for (int i = 0; i < threads; i++) {
            Thread sleeper = new Thread(() -> {
                while (!ended) {
                    LockSupport.park();
                }
            });
            sleeper.start();
            sleepers.add(sleeper);
        }
    }

    @TearDown
    public void end() throws IOException {
        ended = true;
        sleepers.forEach(LockSupport::unpark);
        channel.close();
        Files.delete(file);
    }

    @Benchmark
    public void byOne() throws IOException {
        mappings.map(channel, 0, 1 << 20).close();
    }

    @Benchmark
    @Threads(8)
    public void byEight() throws IOException {
        mappings.map(channel, 0, 1 << 20).close();
    }

    @Benchmark
    public void byTheCollector() throws IOException {
        mappings.mapUntilCollected(channel, 0, 1 << 20).close();
    }
}
