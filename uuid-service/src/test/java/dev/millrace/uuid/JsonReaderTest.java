package dev.millrace.uuid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonReaderTest {
    private static final String GOOD =
            "{\"generate-uuid\":[{\"method\":\"name\",\"name\":\"\\u00e4\",\"namespace\":\"DNS\",\"digest\":\"md5\",\"count\":2},{}]}";

    private final JsonReader reader = new JsonReader();

    private List<Batch> read(byte[] document) throws Exception {
        UuidRequest request = new UuidRequest(100);
        reader.read(new LimitedBody(new ByteArrayInputStream(document), 65_536), request);
        return request.batches();
    }

    /** The refusal of a document, which shows no internals of the parser. */
    private Refusal refusal(String document) {
        Refusal refusal = assertThrows(
                        RefusedException.class, () -> read(document.getBytes(StandardCharsets.UTF_8)), document)
                .refusal();
        assertTrue(refusal.message().matches("[ -~&&[^`]]{1,210}"), refusal.message());
        assertFalse(refusal.message().matches(".*(Source|Stream|Exception|java).*"), refusal.message());
        return refusal;
    }

    @Test
    void allMembersAreRead() throws Exception {
        assertEquals(
                List.of(
                        new Batch(UuidMethod.NAME, 2, "\u00e4", Namespace.DNS, NameDigest.MD5),
                        new Batch(UuidMethod.RANDOM, 1, null, Namespace.NONE, NameDigest.SHA_1)),
                read(GOOD.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void aByteOrderMarkIsSkipped() throws Exception {
        assertEquals(
                read(GOOD.getBytes(StandardCharsets.UTF_8)), read(("\uFEFF" + GOOD).getBytes(StandardCharsets.UTF_8)));
        assertEquals(
                RefusalReason.MALFORMED_JSON, refusal("\uFEFF\uFEFF" + GOOD).reason());
        assertEquals(RefusalReason.MALFORMED_JSON, refusal("\uFEFF").reason());
    }

    /** Quotation marks are apostrophes here. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "[] | INVALID_DOCUMENT | 1 | 1",
                "3 | INVALID_DOCUMENT | 1 | 1",
                "null | INVALID_DOCUMENT | 1 | 1",
                "{} | INVALID_DOCUMENT | 1 | 2",
                "{'x':1} | INVALID_DOCUMENT | 1 | 2",
                "{'generate-uuid':{}} | INVALID_DOCUMENT | 1 | 18",
                "{'generate-uuid':[]} | INVALID_DOCUMENT | 1 | 20",
                "{'generate-uuid':[3]} | INVALID_DOCUMENT | 1 | 19",
                "{'generate-uuid':[[]]} | INVALID_DOCUMENT | 1 | 19",
                "{'generate-uuid':[{'uuid':1}]} | INVALID_DOCUMENT | 1 | 20",
                "{'generate-uuid':[{'method':null}]} | INVALID_DOCUMENT | 1 | 29",
                "{'generate-uuid':[{'count':'1'}]} | INVALID_DOCUMENT | 1 | 28",
                "{'generate-uuid':[{'count':{}}]} | INVALID_DOCUMENT | 1 | 28",
                "{'generate-uuid':[{'name':1}]} | INVALID_DOCUMENT | 1 | 27",
                "{'generate-uuid':[{}]} 1 | INVALID_DOCUMENT | 1 | 24",
                "{'generate-uuid':[{'count':0}]} | WRONG_COUNT | 1 | 19",
                "{'generate-uuid':[{'count':-1}]} | WRONG_COUNT | 1 | 19",
                "{'generate-uuid':[{'count':1.5}]} | WRONG_COUNT | 1 | 19",
                "{'generate-uuid':[{'count':1e2}]} | WRONG_COUNT | 1 | 19",
                "{'generate-uuid':[{},{'count':100}]} | TOO_MANY_UUIDS | 1 | 22",
                "{'generate-uuid':[{'method':'x'}]} | UNKNOWN_METHOD | 1 | 19",
                "{'generate-uuid':[{'method':'name'}]} | WRONG_NAME | 1 | 19",
                "{'generate-uuid':[{'method':'name','name':'\\ud83d'}]} | WRONG_NAME | 1 | 19",
                "{'generate-uuid':[{'method':'name','name':'a\\ude00\\ud83db'}]} | WRONG_NAME | 1 | 19"
            })
    void whatIsNotAsDescribedIsRefused(String document, RefusalReason reason, int line, int column) {
        Refusal refusal = refusal(document.replace('\'', '"'));
        assertEquals(reason, refusal.reason(), refusal.message());
        assertEquals(List.of(line, column), List.of(refusal.line(), refusal.column()), document);
    }

    @Test
    void aPairOfSurrogatesIsACharacter() throws Exception {
        String document = "{\"generate-uuid\":[{\"method\":\"name\",\"name\":\"\\ud83d\\ude00\"}]}";
        assertEquals(
                Character.toString(0x1F600),
                read(document.getBytes(StandardCharsets.UTF_8)).get(0).name());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "{",
                "{\"generate-uuid\":[{}]",
                "{\"generate-uuid\":[{},]}",
                "{generate-uuid:[{}]}",
                "{'generate-uuid':[{}]}",
                "{\"generate-uuid\":[{\"count\":01}]}",
                "{\"generate-uuid\":[{\"count\":NaN}]}",
                "{\"generate-uuid\":[{\"count\":1,\"count\":1}]}",
                "{\"generate-uuid\":[{}],\"generate-uuid\":[{}]}",
                "{\"generate-uuid\":[{\"name\":\"\t\"}]}",
                "/**/{\"generate-uuid\":[{}]}",
                "<request/>"
            })
    void whatIsNoJsonIsMalformed(String document) {
        Refusal refusal = refusal(document);
        assertEquals(RefusalReason.MALFORMED_JSON, refusal.reason(), refusal.message());
    }

    @Test
    void whatIsTooDeepOrTooLongIsMalformed() {
        String batch = "{\"generate-uuid\":[{\"x\":";
        for (String document : List.of(
                "[".repeat(10_000),
                "{\"generate-uuid\":" + "[".repeat(10_000),
                "{\"" + "x".repeat(10_000) + "\":1}",
                batch.replace("\"x\"", "\"count\"") + "9".repeat(10_000) + "}]}",
                batch.replace("\"x\"", "\"name\"") + "\"" + "x".repeat(10_000) + "\"}]}")) {
            RefusalReason reason = refusal(document).reason();
            assertTrue(
                    reason == RefusalReason.MALFORMED_JSON || reason == RefusalReason.INVALID_DOCUMENT,
                    document.substring(0, 30) + " " + reason);
        }
    }

    @Test
    void bytesThatAreNoTextAreMalformed() {
        for (byte[] bytes : List.of(
                "{\"\u00e4\":1}".getBytes(StandardCharsets.ISO_8859_1),
                new byte[] {'{', '"', (byte) 0xC3, '(', '"', ':', '1', '}'},
                new byte[] {(byte) 0xFF, (byte) 0xFF, 0, 0},
                new byte[1000])) {
            try {
                read(bytes);
            } catch (RefusedException e) {
                assertEquals(RefusalReason.MALFORMED_JSON, e.refusal().reason());
            } catch (Exception e) {
                throw new AssertionError(Arrays.toString(bytes), e);
            }
        }
    }

    /** Changed documents get UUIDs or a refusal, never another exception, which would be a 500. */
    @Test
    void everyDocumentIsAnsweredOrRefused() {
        Random random = new Random(8259);
        for (int i = 0; i < 20_000; i++) {
            byte[] document = GOOD.getBytes(StandardCharsets.UTF_8);
            for (int change = 0; change <= random.nextInt(3); change++) {
                document[random.nextInt(document.length)] = (byte) random.nextInt(256);
            }
            byte[] cut =
                    Arrays.copyOf(document, random.nextInt(4) == 0 ? random.nextInt(document.length) : document.length);
            try {
                read(cut);
            } catch (RefusedException e) {
                assertTrue(
                        e.refusal().message().matches("[ -~]{1,250}"),
                        e.refusal().message());
            } catch (Exception e) {
                throw new AssertionError(new String(cut, StandardCharsets.ISO_8859_1), e);
            }
        }
    }

    @Test
    void aConnectionThatFailsIsNoRefusal() {
        IOException failure = new IOException("reset");
        InputStream in = new FilterInputStream(InputStream.nullInputStream()) {
            @Override
            public int read(byte[] buffer, int offset, int length) throws IOException {
                throw failure;
            }
        };
        assertSame(
                failure,
                assertThrows(IOException.class, () -> reader.read(new LimitedBody(in, 100), new UuidRequest(1))));
    }
}
