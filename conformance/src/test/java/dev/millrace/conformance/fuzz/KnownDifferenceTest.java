package dev.millrace.conformance.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Test;

/** A difference is explained by what happened on its connection, and not by a word somewhere in it. */
class KnownDifferenceTest {
    private static final String HEAD_ANSWER = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    private static final String MALFORMED = "Transfer-Encoding: chunked\\r\\n\\r\\n4\\r\\nabcdX";
    private static final String WHOLE = "Transfer-Encoding: chunked\\r\\n\\r\\n4\\r\\nabcd\\r\\n0\\r\\n\\r\\n";

    private static KnownDifference between(String input, String ours, String controls) {
        return KnownDifference.between(
                InputText.parse(input), new Outcome(ours, Outcome.End.RESET), new Outcome(controls, Outcome.End.FIN));
    }

    private static void assertExplained(String input, String controls) {
        assertEquals(KnownDifference.FAILED_ANSWER_IS_RESET, between(input, "", controls));
        assertEquals(KnownDifference.FAILED_ANSWER_IS_RESET, between(input, controls, controls));
    }

    private static void assertFault(String input, String controls) {
        assertNull(between(input, controls, controls));
    }

    @Test
    void theContentOfAnEarlyAnswerIsMalformedOrEnds() {
        assertExplained("HEAD /early HTTP/1.1\\r\\nHost: a\\r\\n" + MALFORMED, HEAD_ANSWER);
        assertExplained("HEAD /early/x HTTP/1.1\\r\\nHost: a\\r\\nContent-Length: 9\\r\\n\\r\\nabc", HEAD_ANSWER);
        assertExplained(
                "POST /early?x HTTP/1.0\\r\\nHost: a\\r\\nContent-Length: 9\\r\\n\\r\\nabc",
                "HTTP/1.1 200 OK\r\n\r\nxxx");
    }

    @Test
    void theContentOfAnEarlyAnswerIsWhole() {
        assertFault("HEAD /early HTTP/1.1\\r\\nHost: a\\r\\n" + WHOLE, HEAD_ANSWER);
        assertFault("HEAD /early HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n", HEAD_ANSWER);
        // What is malformed is another request.
        assertFault("HEAD /early HTTP/1.1\\r\\nHost: a\\r\\n" + WHOLE + "GET", HEAD_ANSWER);
        assertFault(
                "HEAD /early HTTP/1.1\\r\\nHost: a\\r\\n\\r\\nPOST / HTTP/1.1\\r\\nHost: a\\r\\n" + MALFORMED,
                HEAD_ANSWER);
    }

    @Test
    void anotherRequestIsThePath() {
        assertFault("HEAD / HTTP/1.1\\r\\nHost: a\\r\\nX: /early\\r\\n" + MALFORMED, HEAD_ANSWER);
        assertFault("HEAD /earlyx HTTP/1.1\\r\\nHost: a\\r\\n" + MALFORMED, HEAD_ANSWER);
        // The answer that was reset is the first one, which is whole.
        assertFault(
                "HEAD / HTTP/1.1\\r\\nHost: a\\r\\n\\r\\nHEAD /early HTTP/1.1\\r\\nHost: a\\r\\n" + MALFORMED,
                HEAD_ANSWER);
    }

    @Test
    void anAnswerFailsLate() {
        assertExplained("HEAD /fail-late HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n", HEAD_ANSWER);
        assertExplained("DELETE /fail-late HTTP/1.0\\r\\nHost: a\\r\\n\\r\\nGET", "HTTP/1.1 200 OK\r\n\r\nxxx");
        assertFault("GET /?/fail-late HTTP/1.0\\r\\nHost: a\\r\\n\\r\\n", "HTTP/1.1 200 OK\r\n\r\nxxx");
    }

    @Test
    void anAnswerThatEndsWithItsConnectionFailsLate() {
        String closing = "Host: a\\r\\nConnection: close\\r\\n\\r\\n";
        String answer = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nxxx";
        assertExplained("GET /fail-late HTTP/1.1\\r\\n" + closing, answer);
        assertExplained("GET /fail-late HTTP/1.1\\r\\nExpect: 100-continue\\r\\nHost: a\\r\\n\\r\\n", answer);
        assertExplained("GET http://a/fail-late HTTP/1.1\\r\\n" + closing, answer);
        assertExplained("GET /x/..;/%66ail-late/y HTTP/1.1\\r\\n" + closing, answer);
        assertFault("GET /chunks HTTP/1.1\\r\\n" + closing, answer);
        assertFault("GET http://a/?/fail-late HTTP/1.1\\r\\n" + closing, answer);
    }

    @Test
    void anAnswerWithAnEndIsWhole() {
        String request = "GET /fail-late HTTP/1.1\\r\\nHost: a\\r\\nConnection: close\\r\\n\\r\\n";
        assertFault(request, "HTTP/1.1 400 Bad Request\r\nContent-Length: 3\r\n\r\nxxx");
        assertFault(request, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
        assertFault(request, "HTTP/1.1 304 Not Modified\r\n\r\n");
        assertExplained(request, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nxxx");
        // The last answer, and no other.
        assertFault(
                "GET /fail-late HTTP/1.0\\r\\nConnection: keep-alive\\r\\n\\r\\n" + request,
                "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    }
}
