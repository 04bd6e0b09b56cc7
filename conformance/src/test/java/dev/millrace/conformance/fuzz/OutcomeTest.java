package dev.millrace.conformance.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Only what must differ is made the same, and only listed differences are known. */
class OutcomeTest {
    private static final Input INPUT = InputText.parse("GET / HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n");

    private static Outcome fin(String answer) {
        return Outcome.of(answer.getBytes(StandardCharsets.ISO_8859_1), Outcome.End.FIN, 12345);
    }

    private static Outcome reset(String answer) {
        return Outcome.of(answer.getBytes(StandardCharsets.ISO_8859_1), Outcome.End.RESET, 12345);
    }

    private static String ok(String fields, String content) {
        return "HTTP/1.1 200 OK\r\n" + fields + "\r\n" + content;
    }

    @Test
    void timesAndBoundariesAndThePortAreTheSame() {
        assertEquals(
                fin(ok("Date: Wed, 25 Nov 2026 02:03:04 GMT\r\n", "")),
                fin(ok("Date: Fri, 02 Jan 2026 23:59:59 GMT\r\n", "")));
        String type = "Content-Type: multipart/byteranges; boundary=";
        assertEquals(
                fin(ok(type + "0123456789abcdef01234567\r\n", "--0123456789abcdef01234567--")),
                fin(ok(type + "zyxwvutsrqzyxwvutsrqabcd\r\n", "--zyxwvutsrqzyxwvutsrqabcd--")));
        assertEquals(fin("http://127.0.0.1:12345/"), fin("http://127.0.0.1:PPPPP/"));
    }

    @Test
    void allElseIsCompared() {
        assertNotEquals(fin(ok("Date: yesterday\r\n", "")), fin(ok("Date: Fri, 02 Jan 2026 23:59:59 GMT\r\n", "")));
        assertNotEquals(fin(ok("", "a")), fin(ok("", "b")));
        assertNotEquals(fin(ok("", "a")), reset(ok("", "a")));
        assertNotEquals(fin("http://127.0.0.1:12346/"), fin("http://127.0.0.1:12345/"));
    }

    @Test
    void aWholeAnswerBehindTheControlsResetIsKnown() {
        String whole = ok("Content-Length: 5\r\n", "abcde");
        assertEquals(
                KnownDifference.CONTROL_WAS_RESET,
                KnownDifference.between(INPUT, fin(whole), reset(whole.substring(0, 40))));
        assertNull(KnownDifference.between(INPUT, fin(whole), reset(ok("Content-Length: 5\r\n", "abcdf"))));
        assertNull(KnownDifference.between(INPUT, reset(whole), fin(whole)));
        // What the control's second answer was, or its only one, is not known.
        assertNull(KnownDifference.between(INPUT, fin(whole + whole), reset(whole)));
        assertNull(KnownDifference.between(INPUT, fin(whole), reset("")));
        assertEquals(KnownDifference.CONTROL_WAS_RESET, KnownDifference.between(INPUT, fin(""), reset("")));
    }

    @Test
    void aResetIsKnownOnlyBehindAnAnswerThatFailed() {
        String part = ok("Content-Length: 7\r\n", "abcde");
        assertEquals(KnownDifference.FAILED_ANSWER_IS_RESET, KnownDifference.between(INPUT, reset(part), fin(part)));
        String chunked = ok("Transfer-Encoding: chunked\r\n", "5\r\nabcde\r\n");
        assertEquals(
                KnownDifference.FAILED_ANSWER_IS_RESET, KnownDifference.between(INPUT, reset(chunked), fin(chunked)));
        assertNull(KnownDifference.between(INPUT, reset(chunked + "0\r\n\r\n"), fin(chunked + "0\r\n\r\n")));
    }

    @Test
    void chunksOfPartsMayHaveOtherSizes() {
        String head = "Content-Type: multipart/byteranges; boundary=x\r\nTransfer-Encoding: chunked\r\n";
        Outcome one = fin(ok(head, "4\r\nabcd\r\n0\r\n\r\n"));
        Outcome two = fin(ok(head, "3\r\nabc\r\n1\r\nd\r\n0\r\n\r\n"));
        assertEquals(KnownDifference.PART_IS_ONE_CHUNK, KnownDifference.between(INPUT, one, two));
        assertNull(KnownDifference.between(INPUT, one, fin(ok(head, "3\r\nabc\r\n1\r\ne\r\n0\r\n\r\n"))));
        assertNull(KnownDifference.between(INPUT, one, fin(ok(head, "3\r\nabc\r\n1\r\nd\r\n"))));
    }

    @Test
    void chunksOfOtherAnswersHaveTheSameSizes() {
        String parts =
                ok("Content-Type: multipart/byteranges; boundary=x\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n");
        String one = ok("Transfer-Encoding: chunked\r\n", "2\r\nab\r\n0\r\n\r\n");
        String two = ok("Transfer-Encoding: chunked\r\n", "1\r\na\r\n1\r\nb\r\n0\r\n\r\n");
        assertNull(KnownDifference.between(INPUT, fin(one + parts), fin(two + parts)));
        assertNull(KnownDifference.between(INPUT, fin(parts + one), fin(parts + two)));
    }

    @Test
    void seesWhetherAnswersAreWhole() {
        assertWhole(ok("Content-Length: 5\r\n", "abcde") + ok("Transfer-Encoding: chunked\r\n", "0\r\n\r\n"), true);
        assertWhole("HTTP/1.1 103 Early Hints\r\n\r\n" + ok("", "until the end"), true);
        assertWhole(ok("Content-Length: 5\r\n", "abcd"), false);
        assertWhole("HTTP/1.1 200 OK\r\nServ", false);
        String toHead = ok("Transfer-Encoding: chunked\r\n", "");
        assertWhole(toHead, false);
        List<SentRequests.Sent> head = SentRequests.of(InputText.parse("HEAD / HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n"));
        assertEquals(Answers.Ending.UNSEEN, Answers.ending(toHead, head));
        assertEquals(Answers.Ending.UNSEEN, Answers.ending("HTTP/1.1 103 Early Hints\r\n\r\n" + toHead, head));
        assertEquals(Answers.Ending.CUT_OFF, Answers.ending(toHead + toHead, head));
    }

    private static void assertWhole(String bytes, boolean isWhole) {
        assertEquals(isWhole, Answers.ending(bytes, List.of()) != Answers.Ending.CUT_OFF);
    }

    @Test
    void onlyTheAnswerToAnEarlyEndMayBeMissing() {
        String good = ok("Content-Length: 1\r\n", "a");
        String early = "HTTP/1.1 400 Bad Request\r\n\r\n<title>Error 400 Early EOF</title>";
        String bad = "HTTP/1.1 400 Bad Request\r\n\r\n<title>Error 400 Bad URI</title>";
        KnownDifference missing = KnownDifference.ANSWER_TO_EARLY_END_MAY_BE_MISSING;
        assertEquals(missing, KnownDifference.between(INPUT, fin(good), fin(good + early)));
        assertEquals(missing, KnownDifference.between(INPUT, fin(good + early), fin(good)));
        assertNull(KnownDifference.between(INPUT, fin(good), fin(good + bad)));
        assertNull(KnownDifference.between(INPUT, fin(""), fin(good + early)));
        assertNull(KnownDifference.between(INPUT, fin(good + early), fin(good + early + "behind")));
        assertNull(KnownDifference.between(INPUT, reset(good), fin(good + early)));
    }
}
