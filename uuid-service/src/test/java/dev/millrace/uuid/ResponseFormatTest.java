package dev.millrace.uuid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ResponseFormatTest {
    @Test
    void xmlIsTheDefault() {
        assertEquals(ResponseFormat.XML, negotiate());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "*/* | XML",
                "text/* | XML",
                "text/xml | XML",
                "application/xml | APPLICATION_XML",
                "application/json | JSON",
                "text/plain | TEXT",
                "APPLICATION/JSON | JSON",
                "application/* | APPLICATION_XML",
                "text/plain;q=0.5, application/json | JSON",
                "text/xml;q=0.4,text/plain;q=0.5 | TEXT",
                "text/*;q=0.3, text/plain;q=0.7, */*;q=0.5 | TEXT",
                "text/*, text/xml;q=0 | TEXT",
                "text/xml;q=0, */* | APPLICATION_XML",
                "text/plain ; Q=0.5 , application/json ; q=0.4 | TEXT",
                "application/json;charset=utf-8 | JSON",
                "image/png, */*;q=0.001 | XML",
                "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8 | APPLICATION_XML",
                "text/xml;q=2, application/json;q=0.1 | JSON",
                "text/xml;q=, text/plain | TEXT",
                "nonsense, text/plain | TEXT"
            })
    void theHighestWeightWins(String accept, ResponseFormat format) {
        assertEquals(format, negotiate(accept));
    }

    @Test
    void severalFieldsAreOneList() {
        assertEquals(ResponseFormat.JSON, negotiate("text/plain;q=0.5", "application/json;q=0.6"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"image/png", "text/xml;q=0", "*/*;q=0", "nonsense", "text", "*", ";", "q=1", "*/xml"})
    void withoutAnAcceptedFormatThereIsNone(String accept) {
        assertNull(negotiate(accept));
    }

    /** Who sends JSON and takes anything gets JSON. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "*/* | JSON",
                "application/* | JSON",
                "text/xml, application/json | JSON",
                "text/* | XML",
                "text/plain, application/json;q=0.9 | TEXT",
                "*/*, application/json;q=0 | XML"
            })
    void thePreferredFormatWinsAmongEquals(String accept, ResponseFormat format) {
        assertEquals(format, ResponseFormat.negotiate(Collections.enumeration(List.of(accept)), ResponseFormat.JSON));
        assertEquals(
                ResponseFormat.JSON, ResponseFormat.negotiate(Collections.emptyEnumeration(), ResponseFormat.JSON));
    }

    private static ResponseFormat negotiate(String... accept) {
        return ResponseFormat.negotiate(Collections.enumeration(List.of(accept)), ResponseFormat.XML);
    }
}
