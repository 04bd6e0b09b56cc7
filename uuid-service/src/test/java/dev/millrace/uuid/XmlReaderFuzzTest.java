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
 * Generated documents get UUIDs or a refusal, and never an exception, which would be a 500. A system property sets
 * their number, another the seed: {@code mvn -pl uuid-service test -Dtest=XmlReaderFuzzTest
 * -Dmillrace.fuzz.documents=1000000 -Dmillrace.fuzz.seed=1}.
 */
class XmlReaderFuzzTest {
    private static final long SEED = Long.getLong("millrace.fuzz.seed", 20061110L);
    private static final int DOCUMENTS = Integer.getInteger("millrace.fuzz.documents", 100_000);
    private static final Set<RefusalReason> REACHABLE = EnumSet.of(
            RefusalReason.MALFORMED_XML,
            RefusalReason.INVALID_DOCUMENT,
            RefusalReason.BODY_TOO_LARGE,
            RefusalReason.UNKNOWN_METHOD,
            RefusalReason.WRONG_COUNT,
            RefusalReason.TOO_MANY_UUIDS,
            RefusalReason.WRONG_NAME,
            RefusalReason.UNKNOWN_NAMESPACE,
            RefusalReason.UNKNOWN_DIGEST);

    private final DocumentGenerator generator = new DocumentGenerator();
    private final UuidService service = new UuidService(100);
    private final XmlWriter xmlWriter = new XmlWriter();
    private final XmlReader reader = new XmlReader(XmlFactories.hardenedInput(102, 65536));
    private final Map<RefusalReason, Integer> refusals = new EnumMap<>(RefusalReason.class);

    @Test
    void everyDocumentIsAnsweredOrRefused() throws Exception {
        int answered = 0;
        for (int i = 0; i < DOCUMENTS; i++) {
            byte[] document = generator.generate(SEED + i);
            try {
                answered += isAnswered(document, i) ? 1 : 0;
            } catch (Exception | AssertionError e) {
                throw new AssertionError("seed " + (SEED + i) + ": " + new String(document, StandardCharsets.UTF_8), e);
            }
        }
        assertTrue(answered > DOCUMENTS / 5, answered + " documents answered");
        if (DOCUMENTS >= 50_000) {
            assertEquals(REACHABLE, refusals.keySet(), "the documents reach every kind of refusal");
        }
    }

    private boolean isAnswered(byte[] document, int number) throws Exception {
        UuidRequest uuidRequest = service.newRequest();
        try {
            reader.read(new LimitedBody(new ByteArrayInputStream(document), 65536), null, uuidRequest);
        } catch (RefusedException e) {
            refusals.merge(e.refusal().reason(), 1, Integer::sum);
            assertSafe(e.refusal());
            if (number % 1000 == 0) {
                assertWritable(e.refusal());
            }
            return false;
        }
        List<UUID> uuids = service.generate(uuidRequest);
        assertEquals(uuidRequest.total(), uuids.size());
        xmlWriter.writeUuids(uuids, false, OutputStream.nullOutputStream());
        return true;
    }

    /** Messages show no internals of the parser, and no character that a format must escape. */
    private static void assertSafe(Refusal refusal) {
        assertTrue(REACHABLE.contains(refusal.reason()), refusal.toString());
        assertEquals(refusal.line() > 0, refusal.column() > 0, refusal.toString());
        String message = refusal.message();
        assertFalse(
                message.isBlank()
                        || message.contains("Exception")
                        || message.contains("com.ctc")
                        || message.contains("java."),
                message);
        assertTrue(message.length() < 250 && message.chars().allMatch(c -> c >= ' ' && c <= '~'), message);
    }

    private void assertWritable(Refusal refusal) throws Exception {
        ByteArrayOutputStream xml = new ByteArrayOutputStream();
        xmlWriter.writeRefusal(refusal, true, xml);
        assertEquals(
                refusal.reason().type(),
                Responses.cause(xml.toString(StandardCharsets.UTF_8)).getAttribute("type"));
    }

    @Test
    void theSameOverHttp() throws Exception {
        try (UuidServer server = new UuidServer(Map.of())) {
            for (int i = 0; i < 1_000; i++) {
                byte[] document = generator.generate(SEED + i);
                HttpResponse<String> response = server.send(server.request("")
                        .header("Content-Type", "text/xml")
                        .POST(BodyPublishers.ofByteArray(document)));
                if (response.statusCode() == 200) {
                    assertFalse(Responses.uuids(response.body()).isEmpty());
                } else {
                    assertTrue(
                            Set.of(400, 413, 422).contains(response.statusCode()),
                            "seed " + (SEED + i) + ": " + response.statusCode());
                    assertFalse(Responses.cause(response.body())
                            .getAttribute("type")
                            .isEmpty());
                }
            }
        }
    }
}
