package dev.millrace.load.scenario;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.millrace.load.http.Failure;
import dev.millrace.load.http.Heads;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The check finds the same errors as an XML parser, in pieces of any size. */
class UuidResponseCheckTest {

    private static final String UUID = "6ba7b810-9dad-11d1-80b4-00c04fd430c8";

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
                + UUID + "</uuid>\n  <uuid >" + UUID.toUpperCase(Locale.ROOT) + "</uuid >\n<!-- x --></response >\n"
                + "<!-- x --><?y?>\n";
        UuidResponseCheck check = new UuidResponseCheck(2);
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
        UuidResponseCheck check = new UuidResponseCheck(1);
        for (int cut = 0; cut <= whole.length(); cut++) {
            assertEquals(
                    expected.replace("@", UUID),
                    String.valueOf(check(check, whole, cut).detail()),
                    "cut at " + cut);
        }
    }
}
