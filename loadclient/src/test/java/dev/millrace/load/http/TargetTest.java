package dev.millrace.load.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The zone of an IPv6 address says where this machine connects, and is no business of the server's (RFC 6874). */
class TargetTest {

    private static final String ZONE = "[::1%25lo]";

    @Test
    void aZoneIsReadInTheFormOfUrls() {
        Target target = Target.of("http://" + ZONE + ":81/x");
        assertEquals("::1%lo", target.host());
        assertEquals(Target.of("http://[::1%lo]:81/x").address(), target.address());
    }

    @Test
    void noServerIsToldTheZone() {
        for (String host : List.of(ZONE, "[::1%lo]", "[::1]")) {
            assertEquals("[::1]:81", Target.of("http://" + host + ":81/x").hostField());
            Target target = Target.of("http://me:p%40@" + host + "/x");
            assertEquals("[::1]", target.hostField());
            Request request = new Request("GET", target, true, List.of(), null);
            String head = new String(request.http1(), StandardCharsets.US_ASCII);
            assertTrue(head.contains("Host: [::1]\r\n"), head);
        }
    }

    /** A server that does not know of the zone names itself without. */
    @Test
    void aServerIsTheSameWithoutItsZone() {
        Target target = Target.of("http://" + ZONE + ":81/x");
        assertTrue(target.resolve("http://[::1]:81/y").isOn(target));
        assertFalse(target.resolve("http://[::2]:81/y").isOn(target));
    }
}
