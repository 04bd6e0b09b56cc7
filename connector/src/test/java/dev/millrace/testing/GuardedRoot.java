package dev.millrace.testing;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.RawClient.Answer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A directory that files may be sent from, with a secret beside it and links that lead there. */
public final class GuardedRoot {
    private static final String SECRET = "the secret of the house";

    /** Ways out of a root that have worked somewhere; {@code X} stands for the file outside. */
    private static final String[] WAYS_OUT = {
        "/../X",
        "/./../X",
        "/sub/../../X",
        "//../X",
        "/../../../../../../../../../etc/passwd",
        "/%2e%2e/X",
        "/%2E%2E/X",
        "/.%2e/X",
        "/%2e./X",
        "/%2e%2e%2fX",
        "/..%2fX",
        "/..%2FX",
        "/sub/..%2f..%2fX",
        "/%252e%252e/X",
        "/%252e%252e%252fX",
        "/..%252fX",
        "/%25%32%65%25%32%65/X",
        "/..;/X",
        "/..;a=b/X",
        "/sub/..;/..;/X",
        "/;/../X",
        "/%2e%2e;/X",
        "/.;/../X",
        "/..\\X",
        "/..%5cX",
        "/%2e%2e%5cX",
        "/sub\\..\\..\\X",
        "/..%255cX",
        "\\..\\X",
        "/%c0%ae%c0%ae/X",
        "/..%c0%afX",
        "/%e0%80%ae%e0%80%ae/X",
        "/%c0%2e%c0%2e/X",
        "/..%c1%9cX",
        "/%uff0e%uff0e/X",
        "/%u002e%u002e/X",
        "/%f0%80%80%ae./X",
        "/..%u2215X",
        "/..%ef%bc%8fX",
        "/%00/../X",
        "/..%00/X",
        "/X%00",
        "/file.txt%00/../../X",
        "/../X%00.txt",
        "/sub/%00",
        "/C:/X",
        "/c:%5cX",
        "/file.txt::$DATA",
        "/CON",
        "/aux.txt",
        "/nul",
        "/file~1.txt",
        "/X.",
        "/.../X",
        "/....//X",
        "/..%0d%0a/X",
        "/%0a../X",
        "/..%09/X",
        "/ ../X",
        "/..%20/X",
        "/%2e%2e%20/X",
        "/link.txt",
        "/up/X",
        "/up/../X",
        "/absolute.txt",
        "/sub/link/X",
        "/loop/X"
    };

    private final Path root;

    /** @param directory where the root is made, and the secret beside it */
    public GuardedRoot(Path directory) throws IOException {
        root = Files.createDirectories(directory.resolve("root/sub")).getParent();
        Files.writeString(directory.resolve("X"), SECRET);
        Files.writeString(root.resolve("file.txt"), "harmless");
        Files.createSymbolicLink(root.resolve("link.txt"), Path.of("../X"));
        Files.createSymbolicLink(root.resolve("absolute.txt"), directory.resolve("X"));
        Files.createSymbolicLink(root.resolve("up"), Path.of(".."));
        Files.createSymbolicLink(root.resolve("sub/link"), directory);
        Files.createSymbolicLink(root.resolve("loop"), Path.of("loop"));
        Files.createSymbolicLink(root.resolve("inside.txt"), Path.of("sub/../file.txt"));
    }

    public Path path() {
        return root;
    }

    /**
     * Checks that no path below the root leads out of it.
     *
     * @param prefix the path of the root
     */
    public void assertNoWayOut(TestServer server, String prefix) throws Exception {
        server.expectMalformedRequests();
        for (String way : WAYS_OUT) {
            for (String method : new String[] {"GET", "HEAD"}) {
                try (RawClient client = server.client()) {
                    client.send(method + " " + prefix + way + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
                    assertGuarded(way, client.answer(method));
                }
            }
        }
    }

    /** Named by an application, which has taken them from wherever. */
    public static List<String> waysOut() {
        return List.of(WAYS_OUT);
    }

    /** That an answer to one of these ways is none of what lies outside, nor a failure. */
    public static void assertGuarded(String way, Answer answer) {
        assertTrue(answer.status() >= 300, way + " " + answer.status());
        assertFalse(answer.text().contains(SECRET), way);
        assertFalse(answer.text().contains("root:x"), way);
        assertTrue(answer.status() < 500, way + " " + answer.status() + " " + answer.text());
    }
}
