package dev.millrace.uuid;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
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
import org.openjdk.jmh.annotations.Warmup;

/**
 * What a request costs without its HTTP: XML in, UUIDs, XML out, and each of the three alone. Time and allocated bytes
 * per request ({@code gc.alloc.rate.norm}) of all methods and counts:
 * <pre>
 * mvn -q -Pbench -pl uuid-service clean test-compile exec:exec -Dbench.args="UuidBenchmark -prof gc"
 * </pre>
 * A part of it, with JMH's own options: for instance {@code -Dbench.args="request -p method=RANDOM -p count=1"}.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class UuidBenchmark {
    @Param({"RANDOM", "TIME", "NAME", "REORDERED", "EPOCH"})
    public String method;

    @Param({"1", "10", "100"})
    public String count;

    private final UuidService service = new UuidService(100);
    private final XmlReader reader = new XmlReader(XmlFactories.hardenedInput(102, 65536));
    private final XmlWriter writer = new XmlWriter();
    private byte[] document;
    private Order order;
    private List<UUID> uuids;

    @Setup
    public void prepare() throws IOException, RefusedException {
        document = ("<request>\n<generate-uuid method='" + method + "' count='" + count
            + "' name='http://example.com/' />\n</request>").getBytes(StandardCharsets.UTF_8);
        order = read();
        uuids = generate();
    }

    @Benchmark
    public Order read() throws IOException, RefusedException {
        Order read = service.newOrder();
        reader.read(new LimitedBody(new ByteArrayInputStream(document), 65536), null, read);
        return read;
    }

    @Benchmark
    public List<UUID> generate() {
        return service.generate(order);
    }

    @Benchmark
    public void write() throws IOException {
        writer.writeUuids(uuids, false, OutputStream.nullOutputStream());
    }

    @Benchmark
    public void request() throws IOException, RefusedException {
        writer.writeUuids(service.generate(read()), false, OutputStream.nullOutputStream());
    }
}
