package dev.millrace.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** How many descriptors this process may have, by each source that tells. */
class SystemLimitsTest {
    private static Stream<String> limits(String line) {
        return Stream.of(
                "Limit                     Soft Limit           Hard Limit           Units     ",
                "Max processes             unlimited            unlimited            processes ",
                line);
    }

    @Test
    void isTheOneThatHolds() {
        assertEquals(
                1024,
                SystemLimits.ofLimits(
                        limits("Max open files            1024                 524288               files     ")));
        assertEquals(
                Long.MAX_VALUE,
                SystemLimits.ofLimits(limits("Max open files            unlimited            unlimited  files")));
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void isTheSameByTheBean() {
        assertEquals(SystemLimits.Bean.limit(), SystemLimits.descriptors());
    }
}
