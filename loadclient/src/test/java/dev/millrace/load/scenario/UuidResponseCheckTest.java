package dev.millrace.load.scenario;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.millrace.load.http.Failure;
import dev.millrace.load.http.Heads;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The check finds the same errors as an XML parser, in pieces of any size. */
class UuidResponseCheckTest {

    private static final String UUID = "6ba7b810-9dad-11d1-80b4-00c04fd430c8";
    private static final String OTHER = "6ba7b811-9dad-11d1-80b4-00c04fd430c8";
    private static final String NIL = "00000000-0000-0000-0000-000000000000";
    private static final String RANDOM = "9e2d8f10-9dad-41d1-80b4-00c04fd430c8";

    private static Failure check(UuidResponseCheck check, String body, int cut) {
        check.begin(Heads.of(200, "Content-Type: text/xml;charset=utf-8"));
        byte[] bytes = body.getBytes(UTF_8);
        check.body(bytes, 0, cut);
        check.body(bytes, cut, bytes.length - cut);
        return check.end();
    }

    @Test
    void aRightAnswerIsRightWhereverItIsCut() {
        String body = "<?xml version=\"1.0\"?>\n<!DOCTYPE response>\n<!-- two <uuid> -->\n<response a='b'>\n  <uuid>"
                + UUID + "</uuid>\n  <uuid >" + OTHER.toUpperCase(Locale.ROOT) + "</uuid >\n<!-- x --></response >\n"
                + "<!-- x --><?y?>\n";
        UuidResponseCheck check = new UuidResponseCheck(2, "TIME");
        for (int cut = 0; cut <= body.length(); cut++) {
            assertNull(check(check, body, cut), "cut at " + cut);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "<response><uuid>@</uuid><uuid>@</uuid></response>      | expected 1 UUIDs, got 2",
                "<response/>                                            | expected 1 UUIDs, got 0",
                "<response><uuid/></response>                           | expected 1 UUIDs, got 0",
                "<response><uuid></uuid></response>                     | 1 UUIDs malformed",
                "<response><uuid>@0</uuid></response>                   | 1 UUIDs malformed",
                "<response><uuid>6ba7b810-9dad-11d1</uuid></response>   | 1 UUIDs malformed",
                "<response><!-- <uuid>@</uuid> --></response>           | expected 1 UUIDs, got 0",
                "<response><uuid>@</uuid>                               | root element not closed",
                "<error><msg>bad</msg></error>                          | root element <error>: bad",
                "<uuid>@</uuid>                                         | root element <uuid>: @",
                "nothing                                                | no element in the answer",
                "<response>x<uuid>@</uuid></response>                   | text outside the UUIDs: x",
                "<response><uuid>@</uuid>a b </response>                | text outside the UUIDs: a b",
                "<response><uuid>@</uuid></response>x                   | text outside the UUIDs: x",
                "x<response><uuid>@</uuid></response>                   | text outside the UUIDs: x",
                "<response><uuid>@</uuid></response><uuid>@</uuid>      | <uuid> where it does not belong: @",
                "<response><uuid>@</uuid></response><response/>         | <response> where it does not belong",
                "<response/><response><uuid>@</uuid></response>         | <response> where it does not belong",
                "<response><uuid>@</uuid><id>7</id></response>          | <id> where it does not belong: 7",
                "<response><id/><uuid>@</uuid></response>               | <id> where it does not belong",
                "<response><uuid><b>@</b></uuid></response>             | <b> where it does not belong",
                "<response><uuid>@</uuid></response></response>         | </response> where it does not belong",
                "<response><uuid>@</foo></response>                     | </foo> where it does not belong",
                "<response><uuid>@</uuid></uuid>                        | </uuid> where it does not belong",
                "<response><uuid>@</uuid></uuid></response>             | </uuid> where it does not belong",
                "<response><![CDATA[x]]><uuid>@</uuid></response>       | a declaration where it does not belong",
                "<response><uuid>@</uuid></response><!-- x              | a tag without end",
                "<response><uuid>@</uuid></response><                   | a tag without end"
            })
    void aWrongAnswerIsWrongWhereverItIsCut(String body, String expected) {
        String whole = body.replace("@", UUID);
        UuidResponseCheck check = new UuidResponseCheck(1, "TIME");
        for (int cut = 0; cut <= whole.length(); cut++) {
            assertEquals(
                    expected.replace("@", UUID),
                    String.valueOf(check(check, whole, cut).detail()),
                    "cut at " + cut);
        }
    }

    private static String fault(String method, String... uuids) {
        String body = "<response><uuid>" + String.join("</uuid><uuid>", uuids) + "</uuid></response>";
        UuidResponseCheck check = new UuidResponseCheck(uuids.length, method);
        String whole = detail(check(check, body, 0));
        for (int cut = 1; cut <= body.length(); cut++) {
            assertEquals(whole, detail(check(check, body, cut)), "cut at " + cut);
        }
        return whole;
    }

    private static String detail(Failure failure) {
        return failure == null ? "right" : failure.detail();
    }

    @Test
    void noUuidIsNil() {
        assertEquals("1 UUIDs nil", fault("RANDOM", NIL, RANDOM));
        assertEquals("1 UUIDs nil", fault(null, NIL));
    }

    @Test
    void noUuidComesTwiceInAnAnswer() {
        assertEquals("1 UUIDs repeated", fault("TIME", UUID, OTHER, UUID.toUpperCase(Locale.ROOT)));
        assertEquals("2 UUIDs repeated", fault("RANDOM", RANDOM, RANDOM, RANDOM));
        String named = "9e2d8f10-9dad-51d1-80b4-00c04fd430c8";
        assertEquals("right", fault("NAME", named, named), "a name has one");
        assertEquals("right", fault(null, UUID, UUID), "what was asked for is not known");
        assertEquals("right", fault("of-another-service", UUID, UUID));
    }

    @Test
    void theVersionIsThatOfTheMethod() {
        for (String[] one : new String[][] {
            {"RANDOM", "4"}, {"TIME", "1"}, {"location", "1"}, {"NAME", "35"}, {"Reordered", "6"}, {"EPOCH", "7"}
        }) {
            for (int version = 1; version <= 8; version++) {
                String uuid = "9e2d8f10-9dad-" + version + "1d1-80b4-00c04fd430c8";
                String expected = one[1].contains("" + version) ? "right" : "1 UUIDs of another version than asked for";
                assertEquals(expected, fault(one[0], uuid), one[0] + " " + version);
            }
        }
        assertEquals(
                "1 UUIDs of another version than asked for",
                fault("RANDOM", RANDOM.replace("-80b4-", "-c0b4-")),
                "another variant has no version");
    }

    /** Random ones of a fixed seed, of which one comes again. */
    @Test
    void manyAreCompared() {
        Random random = new Random(1);
        for (int count : new int[] {1, 2, 3, 7, 8, 9, 100, 1000, 1024, 5000}) {
            AnsweredUuids answered = new AnsweredUuids(count, "RANDOM");
            for (int round = 0; round < 2; round++) {
                answered.clear();
                long high = 0;
                long low = 0;
                for (int i = 0; i < count; i++) {
                    high = (random.nextLong() & ~0xf000L) | 0x4000L;
                    low = (random.nextLong() >>> 2) | Long.MIN_VALUE;
                    answered.add(high, low);
                }
                assertNull(answered.fault(), count + " different ones");
                answered.clear();
                answered.add(high, low);
                answered.add(high, low);
                assertEquals(count == 1 ? null : "1 UUIDs repeated", answered.fault(), "two of " + count);
            }
        }
    }
}
