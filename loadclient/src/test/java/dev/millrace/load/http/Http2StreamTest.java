package dev.millrace.load.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The window of a stream: RFC 9113 section 6.9.1. */
class Http2StreamTest {

    private static Http2Stream stream() {
        Request request = new Request("GET", Target.of("http://127.0.0.1/"), true, List.of(), null);
        return new Http2Stream(new Call(request, null), new Timing(), bytes -> {}, failure -> {}, 0);
    }

    @Test
    void opensItsWindowByWhatHasClosedIt() {
        Http2Stream fast = stream();
        Http2Stream slow = stream();
        assertEquals(0, slow.used(10, 100));
        assertEquals(0, fast.used(100, 100));
        assertEquals(101, fast.used(1, 100), "all that has come since the last time");
        assertEquals(0, fast.used(100, 100), "no byte opens the window twice");
        assertEquals(110, slow.used(100, 100), "a stream's window is no other stream's");
    }
}
