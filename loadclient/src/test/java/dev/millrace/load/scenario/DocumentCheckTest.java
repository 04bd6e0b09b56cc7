package dev.millrace.load.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonPointer;
import dev.millrace.load.http.Failure;
import dev.millrace.load.http.FailureKind;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Bodies that are neither JSON nor text. */
class DocumentCheckTest {

    @Test
    void whatNoEncodingHoldsIsNoJson() {
        DocumentCheck check = new DocumentCheck(new Expectations(
                List.of(), null, List.of(new Expectations.JsonValue(JsonPointer.compile(""), null)), List.of()));
        // It begins as UTF-32 does, and goes on with a number above U+10FFFF.
        Failure failure = check.failure(new byte[] {0, 0, 0, '[', 0, 0x11, 0, 0});
        assertEquals(FailureKind.WRONG_CONTENT, failure.kind());
        assertTrue(failure.detail().startsWith("no JSON: "), failure.detail());
    }
}
