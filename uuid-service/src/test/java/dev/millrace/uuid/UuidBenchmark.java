package dev.millrace.uuid;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.codehaus.staxmate.SMInputFactory;
import org.codehaus.staxmate.SMOutputFactory;
import org.codehaus.staxmate.in.SMInputCursor;
import org.codehaus.staxmate.out.SMOutputDocument;
import org.codehaus.staxmate.out.SMOutputElement;
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
 * The cost of a request without HTTP: reading XML, making UUIDs, writing XML, and each of these alone. For comparison,
 * bare StaxMate cursors read and write the same documents, look at every attribute and keep nothing. The results are
 * time and allocated bytes per request ({@code gc.alloc.rate.norm}) for all methods and counts:
 * <pre>
 * mvn -q -Pbench -pl uuid-service clean test-compile exec:exec -Dbench.args="UuidBenchmark -prof gc"
 * </pre>
 * JMH's own options select a part, for instance {@code -Dbench.args="request -p method=RANDOM -p count=1"}.
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
    private final XMLInputFactory bareInput = XmlFactories.hardenedInput(102, 65536);
    private final SMOutputFactory bareOutput = XmlFactories.output();
    private byte[] document;
    private UuidRequest uuidRequest;
    private List<UUID> uuids;

    @Setup
    public void prepare() throws IOException, RefusedException {
        document = ("<request>\n<generate-uuid method='" + method + "' count='" + count
                        + "' name='http://example.com/' />\n</request>")
                .getBytes(StandardCharsets.UTF_8);
        uuidRequest = read();
        uuids = generate();
    }

    @Benchmark
    public UuidRequest read() throws IOException, RefusedException {
        UuidRequest read = service.newRequest();
        reader.read(new LimitedBody(new ByteArrayInputStream(document), 65536), null, read);
        return read;
    }

    @Benchmark
    public List<UUID> generate() {
        return service.generate(uuidRequest);
    }

    @Benchmark
    public void write() throws IOException {
        writer.writeUuids(uuids, false, OutputStream.nullOutputStream());
    }

    @Benchmark
    public void request() throws IOException, RefusedException {
        writer.writeUuids(service.generate(read()), false, OutputStream.nullOutputStream());
    }

    @Benchmark
    public void bareRequest() throws XMLStreamException {
        bareRead();
        SMOutputDocument answer = bareOutput.createOutputDocument(OutputStream.nullOutputStream());
        SMOutputElement response = answer.addElement("response");
        for (UUID uuid : service.generate(uuidRequest)) {
            response.addElementWithCharacters(null, "uuid", uuid.toString());
        }
        answer.closeRoot();
    }

    @Benchmark
    public int bareRead() throws XMLStreamException {
        XMLStreamReader parser = bareInput.createXMLStreamReader(new ByteArrayInputStream(document));
        SMInputCursor root = SMInputFactory.rootElementCursor(parser).advance();
        SMInputCursor batches = root.childElementCursor();
        int chars = 0;
        while (batches.getNext() != null) {
            for (int i = 0; i < batches.getAttrCount(); i++) {
                chars += batches.getAttrValue(i).length();
            }
            chars += batches.getElemStringValue().length();
        }
        parser.close();
        return chars;
    }
}
