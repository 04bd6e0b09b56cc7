package dev.millrace.webapp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JsonTest {
    @Test
    void writesEveryKindOfValue() {
        assertEquals("{}", Json.of(Map.of()));
        assertEquals("[]", Json.of(List.of()));
        assertEquals("{\"a\":[1,2.5,true,null,\"x\"]}", Json.of(Map.of("a", Arrays.asList(1, 2.5, true, null, "x"))));
    }

    @Test
    void stringsAreEscaped() {
        assertEquals("\"\\\"\\\\\\u000a\\u0000é\\ud83d\"", Json.of("\"\\\n\0é\ud83d"));
    }
}
