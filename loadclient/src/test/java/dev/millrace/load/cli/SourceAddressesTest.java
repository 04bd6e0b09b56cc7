package dev.millrace.load.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Ranges of addresses are taken as they are, or refused. */
class SourceAddressesTest {

    @Test
    void aRangeMayStandInAList() {
        assertEquals(4, SourceAddresses.parse("127.0.0.1, 127.0.0.253-255").size());
        assertEquals(1, SourceAddresses.parse("127.0.0.7-7").size());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "127.0.0.1-127.0.0.300 | 300 is above 255, the end of an IPv4 address",
                "127.0.0.256-127.0.0.3 | 256 is above 255, the end of an IPv4 address",
                "127.0.0.1-99999999999 | 99999999999 is above 255, the end of an IPv4 address",
                "127.0.0.1,127.0.0.9-7 | the range 127.0.0.9-7 ends before it begins"
            })
    void aRangeThatIsNoneIsRefused(String text, String reason) {
        UsageException failure = assertThrows(UsageException.class, () -> SourceAddresses.parse(text));
        assertEquals("--source-ip " + text + ": " + reason, failure.getMessage());
    }
}
