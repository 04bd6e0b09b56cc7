package dev.millrace.webapp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ByteRangeTest {
    @ParameterizedTest
    @CsvSource({
        "bytes=0-0,0,1",
        "bytes=0-,0,100",
        "bytes=10-19,10,10",
        "bytes=99-99,99,1",
        "bytes=90-200,90,10",
        "bytes=-1,99,1",
        "bytes=-500,0,100",
        "BYTES=1-2,1,2",
        "bytes = 1 - 2 ,1,2"
    })
    void selectsTheBytesAsked(String field, long start, long length) {
        assertEquals(new ByteRange(start, length), ByteRange.of(field, 100));
    }

    @ParameterizedTest
    @ValueSource(strings = {"bytes=100-", "bytes=100-200", "bytes=999999999999999999-", "bytes=-0"})
    void aRangeBehindTheEndIsEmpty(String field) {
        assertEquals(0, ByteRange.of(field, 100).length());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "bytes",
                "bytes=",
                "bytes=-",
                "bytes=5-1",
                "bytes=a-b",
                "bytes=0-1,5-6",
                "lines=0-1",
                "bytes=0x1-2",
                "bytes=-1-2",
                "bytes=9999999999999999999-"
            })
    void anythingElseIsIgnored(String field) {
        assertEquals(new ByteRange(0, 100), ByteRange.of(field, 100));
    }

    /** Each blank is looked at once: for each pair of them this would take hours. */
    @Test
    void aFieldOfBlanksTakesNoTime() {
        String blanks = " ".repeat(1_000_000);
        for (String field : List.of("bytes=" + blanks + "x", "bytes=1" + blanks + "x", "bytes=1-" + blanks + "x")) {
            assertEquals(
                    new ByteRange(0, 100),
                    assertTimeoutPreemptively(Duration.ofSeconds(30), () -> ByteRange.of(field, 100)));
        }
    }

    @Test
    void noFieldSelectsAll() {
        assertEquals(new ByteRange(0, 7), ByteRange.of(null, 7));
    }
}
