package dev.millrace.uuid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Hostile documents are refused, and cost no more memory and time than a valid document of their length. */
class XmlHardeningTest {
    private static final int MAX_BODY_BYTES = 64 * 1024;
    /** Bytes that the reader may allocate for one hostile document: 16 times its greatest length. */
    private static final long MAX_ALLOCATED_BYTES = 1024 * 1024;
    /**
     * This bound does not measure speed. It separates attacks that work from those that do not, on the slowest machine.
     */
    private static final Duration MAX_TIME = Duration.ofSeconds(10);

    private final XmlReader reader = new XmlReader(XmlFactories.hardenedInput(102, MAX_BODY_BYTES));

    static Stream<Arguments> attacks() {
        return Stream.of(
                attack("DTD, empty", "<!DOCTYPE request><request><generate-uuid/></request>"),
                attack(
                        "DTD, internal subset",
                        "<!DOCTYPE request [<!ATTLIST generate-uuid count CDATA '9'>]>"
                                + "<request><generate-uuid/></request>"),
                attack(
                        "DTD, external subset",
                        "<!DOCTYPE request SYSTEM 'http://127.0.0.1:1/x.dtd'>" + "<request><generate-uuid/></request>"),
                attack("entity, internal", "<!DOCTYPE request [<!ENTITY a 'b'>]>" + named("&a;")),
                attack("entity, undeclared", named("&a;")),
                attack(
                        "entity, parameter",
                        "<!DOCTYPE request [<!ENTITY % a SYSTEM 'file:///etc/passwd'> %a;]>" + named("x")),
                attack("entity bomb, exponential", exponentialBomb()),
                attack(
                        "entity bomb, quadratic",
                        "<!DOCTYPE request [<!ENTITY a '" + "x".repeat(20_000) + "'>]>" + named("&a;".repeat(10_000))),
                attack("entity, recursive", "<!DOCTYPE request [<!ENTITY a '&b;'><!ENTITY b '&a;'>]>" + named("&a;")),
                attack(
                        "DTD, nested groups",
                        "<!DOCTYPE request [<!ELEMENT request " + "(".repeat(20_000) + "a" + ")".repeat(20_000)
                                + ">]><request><generate-uuid/></request>"),
                attack("depth", "<request>".repeat(7_000)),
                attack("depth in a batch", "<request><generate-uuid>" + "<a>".repeat(20_000)),
                attack("elements", "<request>" + "<generate-uuid/>".repeat(4_000) + "</request>"),
                attack("attributes", "<request><generate-uuid " + numbered("a", 5_000) + "/></request>"),
                attack("attributes with one hash", "<request><generate-uuid " + colliding() + "/></request>"),
                attack("name spaces", "<request><generate-uuid " + numbered("xmlns:a", 3_000) + "/></request>"),
                attack(
                        "attribute, long value",
                        "<request><generate-uuid name='" + "x".repeat(60_000) + "'/></request>"),
                attack(
                        "attribute, character references",
                        "<request><generate-uuid name='" + "&#65;".repeat(12_000) + "'/></request>"),
                attack("attribute, long name", "<request><generate-uuid " + "x".repeat(60_000) + "=''/></request>"),
                attack("element, long name", "<request><" + "x".repeat(60_000) + "/></request>"),
                attack("count, long", "<request><generate-uuid count='" + "1".repeat(2_000) + "'/></request>"),
                attack("text", named("x".repeat(60_000))),
                attack("text, character references", named("&#65;".repeat(12_000))),
                attack("text, CDATA sections", named("<![CDATA[x]]>".repeat(4_500))),
                attack("text between batches", "<request>" + " ".repeat(60_000) + "x</request>"),
                attack("comment", "<request><!--" + "x".repeat(60_000) + "</request>"),
                attack("comments", "<request>" + "<!---->".repeat(9_000) + "</request>"),
                attack("processing instructions", "<request>" + "<?a b?>".repeat(9_000) + "</request>"),
                attack("prolog", "<!---->".repeat(9_000)),
                attack("epilog", "<request><generate-uuid/></request>" + "<!---->".repeat(4_000) + "<"),
                attack("no XML", "<".repeat(60_000)),
                attack("white space", " ".repeat(60_000)),
                attack("declared encoding", "<?xml version='1.0' encoding='" + "x".repeat(60_000) + "'?><request/>"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("attacks")
    void hostileDocumentsAreRefusedWithinBounds(String name, String document) {
        Refusal refusal = assertTimeoutPreemptively(MAX_TIME, () -> {
            refuse(document);
            long before = allocatedBytes();
            Refusal answer = refuse(document);
            long allocated = allocatedBytes() - before;
            assertTrue(allocated < MAX_ALLOCATED_BYTES, allocated + " bytes allocated");
            return answer;
        });
        assertTrue(refusal.reason().status() == 400 || refusal.reason().status() == 422, refusal.toString());
        assertTrue(refusal.hasLocation(), refusal.toString());
        assertTrue(refusal.message().length() < 250, refusal.message());
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("attacks")
    void anEndlessBodyIsCutOff(String name, String document) {
        ByteArrayInputStream once = new ByteArrayInputStream(document.getBytes(StandardCharsets.UTF_8));
        RefusedException e = assertTimeoutPreemptively(
                MAX_TIME,
                () -> assertThrows(
                        RefusedException.class,
                        () -> reader.read(
                                new LimitedBody(new EndlessStream(once), MAX_BODY_BYTES), null, new UuidRequest(100))));
        assertTrue(e.refusal().reason().status() < 500);
    }

    @Test
    void doctypesAreRefusedEvenIfTheyAreHarmless() {
        Refusal refusal = refuse("<!DOCTYPE request>\n<request><generate-uuid/></request>");
        assertEquals(
                new Refusal(RefusalReason.INVALID_DOCUMENT, "document type declarations are not allowed", 1, 1),
                refusal);
    }

    @Test
    void externalEntitiesAreNeverFetched(@TempDir Path folder) throws Exception {
        Path secret = Files.writeString(folder.resolve("secret.txt"), "top-secret-text");
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            server.configureBlocking(false);
            String url = "http://127.0.0.1:" + ((InetSocketAddress) server.getLocalAddress()).getPort() + "/x";
            for (String systemId : new String[] {secret.toUri().toString(), url}) {
                for (String doctype : new String[] {
                    "<!DOCTYPE request [<!ENTITY a SYSTEM '" + systemId + "'>]>",
                    "<!DOCTYPE request SYSTEM '" + systemId + "'>",
                    "<!DOCTYPE request [<!ENTITY % a SYSTEM '" + systemId + "'>%a;]>"
                }) {
                    Refusal refusal = refuse(doctype + named("&a;"));
                    assertEquals(400, refusal.reason().status());
                    assertFalse(refusal.message().contains("secret"), refusal.message());
                }
            }
            assertNull(server.accept());
        }
    }

    /** Woodstox keeps one table of names for all documents of a factory. */
    @Test
    void namesOfRefusedDocumentsAreNotKept() {
        long before = usedBytes();
        String padding = "x".repeat(1000);
        for (int i = 0; i < 50_000; i++) {
            refuse("<request><generate-uuid " + padding + i + "=''/></request>");
        }
        long kept = usedBytes() - before;
        assertTrue(kept < 25_000_000, kept + " bytes kept of 50,000 names of 1,000 characters");
    }

    private static long usedBytes() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    @Test
    void hostileMessagesStayWellFormed() throws Exception {
        for (String text : new String[] {"\"\\", "<&>'", "\u0000\u001f", "\ud800", "\uffff", "\u202e"}) {
            Refusal refusal = assertThrows(RefusedException.class, () -> UuidMethod.parse(text))
                    .refusal();
            ByteArrayOutputStream xml = new ByteArrayOutputStream();
            new XmlWriter().writeRefusal(refusal, true, xml);
            assertEquals(
                    "unknown-method",
                    Responses.cause(xml.toString(StandardCharsets.UTF_8)).getAttribute("type"));
        }
    }

    private Refusal refuse(String document) {
        LimitedBody body =
                new LimitedBody(new ByteArrayInputStream(document.getBytes(StandardCharsets.UTF_8)), MAX_BODY_BYTES);
        return assertThrows(RefusedException.class, () -> reader.read(body, null, new UuidRequest(100)))
                .refusal();
    }

    private static long allocatedBytes() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        return threads.getThreadAllocatedBytes(Thread.currentThread().getId());
    }

    private static Arguments attack(String name, String document) {
        assertTrue(document.length() <= MAX_BODY_BYTES, name);
        return Arguments.of(name, document);
    }

    private static String named(String text) {
        return "<request><generate-uuid method='name'>" + text + "</generate-uuid></request>";
    }

    private static String exponentialBomb() {
        return "<!DOCTYPE request [<!ENTITY a0 'ha'>"
                + IntStream.range(1, 100)
                        .mapToObj(i -> "<!ENTITY a" + i + " '" + ("&a" + (i - 1) + ";").repeat(10) + "'>")
                        .collect(Collectors.joining())
                + "]>" + named("&a99;");
    }

    private static String numbered(String name, int count) {
        return IntStream.range(0, count).mapToObj(i -> name + i + "=''").collect(Collectors.joining(" "));
    }

    /** Names with equal hash codes: "Aa" and "BB" have the same one, and so have all words made of them. */
    private static String colliding() {
        return IntStream.range(0, 1024)
                .mapToObj(i -> IntStream.range(0, 10)
                                .mapToObj(bit -> (i >> bit & 1) == 0 ? "Aa" : "BB")
                                .collect(Collectors.joining())
                        + "=''")
                .collect(Collectors.joining(" "));
    }

    /** A stream that repeats the end of a document for ever. */
    private static final class EndlessStream extends InputStream {
        private final ByteArrayInputStream start;
        private int last;

        EndlessStream(ByteArrayInputStream start) {
            this.start = start;
        }

        @Override
        public int read() throws IOException {
            int next = start.read();
            last = next < 0 ? last : next;
            return last;
        }

        @Override
        public int read(byte[] bytes, int from, int length) throws IOException {
            for (int i = from; i < from + length; i++) {
                bytes[i] = (byte) read();
            }
            return length;
        }
    }
}
