package dev.millrace.load.scenario;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonPointer;
import dev.millrace.load.http.Failure;
import dev.millrace.load.http.FailureKind;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Bodies that are neither JSON nor text, and numbers in JSON. */
class DocumentCheckTest {

    private static Failure failure(byte[] body, String pointer, String value) {
        return new DocumentCheck(new Expectations(
                        List.of(),
                        null,
                        List.of(new Expectations.JsonValue(JsonPointer.compile(pointer), value)),
                        List.of()))
                .failure(body);
    }

    private static Failure ofNumber(String sent, String expected) {
        return failure(("{\"x\":" + sent + "}").getBytes(UTF_8), "/x", expected);
    }

    @ParameterizedTest
    @CsvSource({
        "10.0, 10.0",
        "10.0, 10",
        "10, 10.0",
        "10.50, 10.50",
        "10.50, 10.5",
        "100.0, 100.0",
        "0.0, 0.0",
        "-0.0, 0",
        "1e2, 1e2",
        "1e2, 100",
        "0.0000001, 0.0000001",
        "0.1, 0.1",
        "12345678901234567890.12, 12345678901234567890.12",
        "12345678901234567890, 12345678901234567890"
    })
    void aNumberIsWhatIsExpectedInAnyForm(String sent, String expected) {
        assertNull(ofNumber(sent, expected));
    }

    @Test
    void anotherNumberIsShownAsItCame() {
        assertEquals("/x is 10.50, expected 10.51", ofNumber("10.50", "10.51").detail());
        assertEquals("/x is 10.0, expected ten", ofNumber("10.0", "ten").detail());
        assertEquals(
                "/x is 12345678901234567890.12, expected 12345678901234567890.13",
                ofNumber("12345678901234567890.12", "12345678901234567890.13").detail());
    }

    @Test
    void aStringIsComparedAsText() {
        assertNull(ofNumber("\"10.0\"", "10.0"));
        assertEquals("/x is 10.0, expected 10", ofNumber("\"10.0\"", "10").detail());
    }

    @Test
    void whatNoEncodingHoldsIsNoJson() {
        // It begins as UTF-32 does, and goes on with a number above U+10FFFF.
        Failure failure = failure(new byte[] {0, 0, 0, '[', 0, 0x11, 0, 0}, "", null);
        assertEquals(FailureKind.WRONG_CONTENT, failure.kind());
        assertTrue(failure.detail().startsWith("no JSON: "), failure.detail());
    }
}
