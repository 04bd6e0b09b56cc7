package dev.millrace.uuid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * Generated documents: each gets UUIDs or a refusal, never an exception that would be a 500. 100,000 of them, or as
 * many as told, from another seed if told, by
 * {@code mvn -pl uuid-service test -Dtest=FuzzTest -Dmillrace.fuzz.documents=1000000 -Dmillrace.fuzz.seed=1}.
 */
class FuzzTest {
    private static final long SEED = Long.getLong("millrace.fuzz.seed", 20061110L);
    private static final int DOCUMENTS = Integer.getInteger("millrace.fuzz.documents", 100_000);
    private static final Set<Fault> REACHABLE = EnumSet.of(Fault.MALFORMED_XML, Fault.INVALID_DOCUMENT,
        Fault.BODY_TOO_LARGE, Fault.UNKNOWN_METHOD, Fault.WRONG_COUNT, Fault.TOO_MANY_UUIDS, Fault.WRONG_NAME,
        Fault.UNKNOWN_NAMESPACE, Fault.UNKNOWN_DIGEST);

    private final DocumentGenerator generator = new DocumentGenerator();
    private final UuidService service = new UuidService(100);
    private final XmlWriter xmlWriter = new XmlWriter();
    private final XmlReader reader = new XmlReader(XmlFactories.hardenedInput(102, 65536));
    private final Map<Fault, Integer> refusals = new EnumMap<>(Fault.class);

    @Test
    void everyDocumentIsAnsweredOrRefused() throws Exception {
        int answered = 0;
        for (int i = 0; i < DOCUMENTS; i++) {
            byte[] document = generator.generate(SEED + i);
            try {
                answered += isAnswered(document, i) ? 1 : 0;
            } catch (Exception | AssertionError e) {
                throw new AssertionError("seed " + (SEED + i) + ": "
                    + new String(document, StandardCharsets.UTF_8), e);
            }
        }
        assertTrue(answered > DOCUMENTS / 5, answered + " documents answered");
        if (DOCUMENTS >= 50_000) {
            assertEquals(REACHABLE, refusals.keySet(), "the documents reach every kind of refusal");
        }
    }

    private boolean isAnswered(byte[] document, int number) throws Exception {
        Order order = service.newOrder();
        try {
            reader.read(new LimitedBody(new ByteArrayInputStream(document), 65536), null, order);
        } catch (RefusedException e) {
            refusals.merge(e.refusal().fault(), 1, Integer::sum);
            assertSafe(e.refusal());
            if (number % 1000 == 0) {
                assertWritable(e.refusal());
            }
            return false;
        }
        List<UUID> uuids = service.generate(order);
        assertEquals(order.total(), uuids.size());
        xmlWriter.writeUuids(uuids, false, OutputStream.nullOutputStream());
        return true;
    }

    /** Nothing of the parser's insides, and nothing that a format would have to escape away. */
    private static void assertSafe(Refusal refusal) {
        assertTrue(REACHABLE.contains(refusal.fault()), refusal.toString());
        assertEquals(refusal.line() > 0, refusal.column() > 0, refusal.toString());
        String message = refusal.message();
        assertFalse(message.isBlank() || message.contains("Exception") || message.contains("com.ctc")
            || message.contains("java."), message);
        assertTrue(message.length() < 250 && message.chars().allMatch(c -> c >= ' ' && c <= '~'), message);
    }

    private void assertWritable(Refusal refusal) throws Exception {
        ByteArrayOutputStream xml = new ByteArrayOutputStream();
        xmlWriter.writeRefusal(refusal, true, xml);
        assertEquals(refusal.fault().type(),
            Answers.cause(xml.toString(StandardCharsets.UTF_8)).getAttribute("type"));
    }

    @Test
    void theSameOverHttp() throws Exception {
        try (UuidServer server = new UuidServer(Map.of())) {
            for (int i = 0; i < 1_000; i++) {
                byte[] document = generator.generate(SEED + i);
                HttpResponse<String> response = server.send(server.request("").header("Content-Type", "text/xml")
                    .POST(BodyPublishers.ofByteArray(document)));
                if (response.statusCode() == 200) {
                    assertFalse(Answers.uuids(response.body()).isEmpty());
                } else {
                    assertTrue(Set.of(400, 413, 422).contains(response.statusCode()),
                        "seed " + (SEED + i) + ": " + response.statusCode());
                    assertFalse(Answers.cause(response.body()).getAttribute("type").isEmpty());
                }
            }
        }
    }
}
