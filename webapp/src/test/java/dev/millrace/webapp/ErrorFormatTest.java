package dev.millrace.webapp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.w3c.dom.Element;

class ErrorFormatTest {
    private static final String HOSTILE = "<script>alert(\"&\")</script>\u0001\n";

    @Test
    void aPageIsTheDefault() {
        assertEquals(ErrorFormat.HTML, ErrorFormat.negotiate(Collections.emptyEnumeration()));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "*/* | HTML",
                "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8 | HTML",
                "application/json | JSON",
                "application/problem+json | JSON",
                "Application/JSON;charset=utf-8 | JSON",
                "application/xml | XML",
                "text/xml | XML",
                "application/problem+xml | XML",
                "application/* | JSON",
                "text/plain | TEXT",
                "application/json;q=0.5, */*;q=0.1 | JSON",
                "application/json;q=0.5, text/xml;q=0.6 | XML",
                "application/json, text/xml | JSON",
                "text/html;q=0, */* | JSON",
                "image/png | HTML",
                "text/event-stream | HTML",
                "application/json;q=2 | HTML",
                "application/json ; Q=0.4, text/plain ; q=0.3 | JSON",
                "; | HTML",
                "nonsense | HTML"
            })
    void theHighestWeightWins(String accept, ErrorFormat format) {
        assertEquals(format, ErrorFormat.negotiate(Collections.enumeration(List.of(accept))));
    }

    @Test
    void severalFieldsAreOneList() {
        assertEquals(
                ErrorFormat.XML,
                ErrorFormat.negotiate(
                        Collections.enumeration(List.of("application/json;q=0.5", "application/xml;q=0.6"))));
    }

    @Test
    void aMessageIsTextInEveryFormat() throws Exception {
        Problem problem = Problem.of(400, HOSTILE);
        String page = ErrorFormat.HTML.write(problem, "/a\"b");
        assertFalse(page.contains("<script"), page);
        assertTrue(page.contains("href=\"/a&quot;b/page.css\""), page);
        Element root = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(
                        ErrorFormat.XML.write(problem, "").getBytes(StandardCharsets.UTF_8)))
                .getDocumentElement();
        assertEquals("Bad Request400" + HOSTILE.replaceAll("\\p{Cntrl}", "?"), root.getTextContent());
        assertEquals(
                "{\"title\":\"Bad Request\",\"status\":400,"
                        + "\"detail\":\"<script>alert(\\\"&\\\")</script>\\u0001\\u000a\"}",
                ErrorFormat.JSON.write(problem, ""));
    }

    /** RFC 9457 section 4.2.1; the phrases are those of RFC 9110 section 15 and RFC 6585. */
    @ParameterizedTest
    @CsvSource({
        "400, Bad Request",
        "408, Request Timeout",
        "411, Length Required",
        "413, Content Too Large",
        "414, URI Too Long",
        "415, Unsupported Media Type",
        "417, Expectation Failed",
        "426, Upgrade Required",
        "431, Request Header Fields Too Large",
        "505, HTTP Version Not Supported"
    })
    void theTitleIsTheStatusPhrase(int status, String phrase) {
        assertEquals(new Problem(status, phrase, ""), Problem.of(status, phrase));
    }

    @Test
    void aReasonPhraseIsNoDetail() {
        assertEquals("", Problem.of(405, "Method Not Allowed").detail());
        assertEquals("{\"title\":\"Error\",\"status\":418}", ErrorFormat.JSON.write(Problem.of(418, ""), ""));
        assertFalse(ErrorFormat.HTML.write(Problem.of(418, ""), "").contains("<p></p>"));
    }
}
