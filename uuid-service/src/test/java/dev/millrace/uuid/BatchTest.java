package dev.millrace.uuid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BatchTest {
    @Test
    void oneRandomUuidIsTheDefault() throws RefusedException {
        assertEquals(
                new Batch(UuidMethod.RANDOM, 1, null, Namespace.NONE, NameDigest.SHA_1),
                Batch.parse(null, null, null, null, null));
    }

    @ParameterizedTest
    @CsvSource({
        "RANDOM, RANDOM",
        "random, RANDOM",
        "Time, TIME",
        "LOCATION, TIME",
        "location, TIME",
        "reordered, REORDERED",
        "Epoch, EPOCH",
        "' time ', TIME"
    })
    void methodsInAnyCase(String text, UuidMethod method) throws RefusedException {
        assertEquals(method, Batch.parse(text, null, null, null, null).method());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "v4", "RANDOM2", "\u0000", "ran dom"})
    void unknownMethodIsRefused(String text) {
        assertRefused(RefusalReason.UNKNOWN_METHOD, text, null, null, null, null);
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "100, 100", "007, 7", "' 5 ', 5", "999999999, 999999999"})
    void counts(String text, int count) throws RefusedException {
        assertEquals(count, Batch.parse(null, text, null, null, null).count());
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "+1", "", "x", "1.5", "1e2", "99999999999", "\u0661", "0x10", "\u000b3"})
    void wrongCountIsRefused(String text) {
        assertRefused(RefusalReason.WRONG_COUNT, null, text, null, null, null);
    }

    /** Each of two UTF-16 units. */
    @Test
    void aNamesCharactersAreCounted() throws RefusedException {
        String longest = "\uD83D\uDE00".repeat(Batch.MAX_NAME_CHARS);
        assertEquals(longest, Batch.parse("name", null, longest, null, null).name());
        assertRefused(RefusalReason.WRONG_NAME, "name", null, longest + "x", null, null);
    }

    @Test
    void nameNeedsAName() {
        assertRefused(RefusalReason.WRONG_NAME, "name", null, null, null, null);
        assertRefused(RefusalReason.WRONG_NAME, "name", null, "", null, null);
        assertRefused(RefusalReason.WRONG_NAME, "name", null, "x".repeat(Batch.MAX_NAME_CHARS + 1), null, null);
    }

    @Test
    void nameIsLeftAloneByOtherMethods() throws RefusedException {
        assertNull(Batch.parse("random", null, "some name", null, null).name());
    }

    @ParameterizedTest
    @CsvSource({"dns, DNS", "URL, URL", "Oid, OID", "x500, X500", "none, NONE"})
    void namespaces(String text, Namespace namespace) throws RefusedException {
        assertEquals(namespace, Batch.parse("name", null, "n", text, null).namespace());
    }

    @ParameterizedTest
    @CsvSource({"sha-1, SHA_1", "SHA1, SHA_1", "md5, MD5", "MD5, MD5"})
    void digests(String text, NameDigest digest) throws RefusedException {
        assertEquals(digest, Batch.parse("name", null, "n", null, text).digest());
    }

    @Test
    void unknownNamespaceAndDigestAreRefused() {
        assertRefused(RefusalReason.UNKNOWN_NAMESPACE, "name", null, "n", "ftp", null);
        assertRefused(RefusalReason.UNKNOWN_DIGEST, "name", null, "n", null, "sha-256");
    }

    @Test
    void messagesAreSafeToShow() {
        RefusedException e = assertThrows(
                RefusedException.class,
                () -> Batch.parse("<script>\r\n\u0000\u202e" + "x".repeat(100), null, null, null, null));
        assertEquals(
                "method '<script>????" + "x".repeat(28) + "...'"
                        + " is none of random, time, location, name, reordered, epoch",
                e.getMessage());
    }

    private static void assertRefused(
            RefusalReason reason, String method, String count, String name, String namespace, String digest) {
        RefusedException e =
                assertThrows(RefusedException.class, () -> Batch.parse(method, count, name, namespace, digest));
        assertEquals(reason, e.refusal().reason());
    }
}
