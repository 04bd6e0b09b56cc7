package dev.millrace.load.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.impl.DefaultConnectionReuseStrategy;
import org.apache.hc.core5.http.impl.DefaultContentLengthStrategy;
import org.apache.hc.core5.http.impl.io.ChunkedInputStream;
import org.apache.hc.core5.http.impl.io.ContentLengthInputStream;
import org.apache.hc.core5.http.impl.io.DefaultHttpResponseParser;
import org.apache.hc.core5.http.impl.io.IdentityInputStream;
import org.apache.hc.core5.http.impl.io.SessionInputBufferImpl;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Answers are read as HttpCore reads them, in pieces of any size, and malformed ones have a kind. */
class ResponseReaderTest {

    /** Returns pieces of one size, as a network may. */
    private static final class Slow extends InputStream {

        private final ByteArrayInputStream bytes;
        private final int most;

        Slow(String text, int most) {
            this.bytes = new ByteArrayInputStream(text.getBytes(ISO_8859_1));
            this.most = most;
        }

        @Override
        public int read() {
            return bytes.read();
        }

        @Override
        public int read(byte[] into, int offset, int length) {
            return bytes.read(into, offset, Math.min(most, length));
        }
    }

    /** All answers of a stream as text. */
    private static List<String> ours(String stream, int most, int chunk) throws IOException {
        ResponseReader reader = new ResponseReader(new Slow(stream, most), new byte[chunk]);
        List<String> answers = new ArrayList<>();
        do {
            BufferedHead head = reader.head(false);
            StringBuilder answer = new StringBuilder().append(head.status()).append('\n');
            for (int i = 0; i < head.fieldCount(); i++) {
                answer.append(head.value(i)).append('\n');
            }
            ByteArrayOutputStream body = new ByteArrayOutputStream();
            assertTrue(reader.body((bytes, offset, length) -> {
                body.write(bytes, offset, length);
                return true;
            }));
            answers.add(answer + body.toString(ISO_8859_1));
        } while (reader.persistent());
        return answers;
    }

    private static List<String> httpCores(String stream) throws Exception {
        InputStream in = new ByteArrayInputStream(stream.getBytes(ISO_8859_1));
        SessionInputBufferImpl buffer = new SessionInputBufferImpl(8192);
        DefaultHttpResponseParser parser = new DefaultHttpResponseParser();
        List<String> answers = new ArrayList<>();
        ClassicHttpResponse response;
        do {
            response = parser.parse(buffer, in);
            while (response.getCode() < 200) {
                response = parser.parse(buffer, in);
            }
            StringBuilder answer =
                    new StringBuilder().append(response.getCode()).append('\n');
            for (Header header : response.getHeaders()) {
                answer.append(header.getValue()).append('\n');
            }
            long length = DefaultContentLengthStrategy.INSTANCE.determineLength(response);
            InputStream body = response.getCode() == 204 || response.getCode() == 304
                    ? InputStream.nullInputStream()
                    : length == -1
                            ? new ChunkedInputStream(buffer, in)
                            : length >= 0
                                    ? new ContentLengthInputStream(buffer, in, length)
                                    : new IdentityInputStream(buffer, in);
            answers.add(answer + new String(body.readAllBytes(), ISO_8859_1));
        } while (DefaultConnectionReuseStrategy.INSTANCE.keepAlive(null, response, null));
        return answers;
    }

    private static final String CLOSE = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nthe end";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
                "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 200\r\ncontent-length:5\r\nX:\r\nY: a b \r\n\r\nhello",
                "HTTP/1.1 404 Not \u00e4 Found\nContent-Length: 5\n\nhello",
                "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
                        + "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
                "HTTP/1.1 204 No Content\r\nA: b\r\n\r\n",
                "HTTP/1.1 304 Not Modified\r\nETag: \"a:b\"\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"
                        + "A;x=\"y\"\r\n0123456789\r\n0\r\nT: u\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: CHUNKED\r\n\r\n0\r\n\r\n"
            })
    void answersAreThoseOfHttpCoreHoweverTheyAreCut(String answer) throws Exception {
        String stream = answer.repeat(3) + CLOSE;
        List<String> expected = httpCores(stream);
        assertEquals(4, expected.size());
        for (int most = 1; most <= stream.length(); most++) {
            assertEquals(expected, ours(stream, most, 8192), "cut after each " + most);
        }
        assertEquals(expected, ours(stream, stream.length(), 7), "a small chunk");
    }

    @Test
    void aBodyWithoutLengthEndsWithTheConnection() throws Exception {
        for (String head : List.of("HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.0 200 OK\r\n\r\n")) {
            assertEquals(httpCores(head + "to the end"), ours(head + "to the end", 3, 8192));
        }
        assertEquals(
                List.of("200\ngzip\nto the end"),
                ours("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nto the end", 3, 8192));
        assertEquals(
                2,
                ours("HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 1\r\n\r\na" + CLOSE, 3, 99)
                        .size());
        assertEquals(
                1,
                ours("HTTP/1.1 200 OK\r\nConnection: a, Close\r\nContent-Length: 1\r\n\r\na" + CLOSE, 3, 99)
                        .size());
        String both = "HTTP/1.1 200 OK\r\nConnection: close\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\na";
        assertEquals(1, ours(both + CLOSE, 3, 99).size());
    }

    @Test
    void behindAChangeOfProtocolsNoAnswerFollows() throws IOException {
        ResponseReader reader = new ResponseReader(
                new Slow("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n\u0081", 4), new byte[8192]);
        assertEquals(101, reader.head(false).status());
        assertTrue(reader.body((bytes, offset, length) -> false), "it has no body");
        assertFalse(reader.persistent());
    }

    @Test
    void foldedFieldsAreReadAsBlanks() throws IOException {
        List<String> answers = ours(
                "HTTP/1.1 200 OK\r\nA: b\r\n  c\r\n\td\r\nContent-Length: 1\r\n" + "Connection: close\r\n\r\nx",
                2,
                100);
        assertEquals(List.of("200\nb c d\n1\nclose\nx"), answers);
    }

    @Test
    void aHeadMayBeLargerThanTheBufferButNotWithoutBound() throws IOException {
        String large = "HTTP/1.1 200 OK\r\nA: " + "x".repeat(20_000) + "\r\nContent-Length: 2\r\n\r\nab";
        assertEquals(3, ours(large + large + CLOSE, 5000, 8192).size());
        BadResponseException endless = assertThrows(
                BadResponseException.class, () -> ours("HTTP/1.1 200 OK\r\nA: " + "x".repeat(100_000), 5000, 8192));
        assertEquals(FailureKind.MALFORMED, endless.kind());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "HELLO WORLD%%                                                | MALFORMED",
                "HTTP/2.0 200 OK%%                                            | MALFORMED",
                "HTTP/1.1 20 OK%%                                             | MALFORMED",
                "HTTP/1.1 2000 OK%%                                           | MALFORMED",
                "HTTP/1.1  200 OK%%                                           | MALFORMED",
                "%%                                                           | MALFORMED",
                "HTTP/1.1 200 OK%no colon%%                                   | MALFORMED",
                "HTTP/1.1 200 OK%: no name%%                                  | MALFORMED",
                "HTTP/1.1 200 OK%Content-Length : 3%%abc                      | MALFORMED",
                "HTTP/1.1 200 OK%Content-Length: x%%                          | MALFORMED",
                "HTTP/1.1 200 OK%Content-Length: -1%%                         | MALFORMED",
                "HTTP/1.1 200 OK%Content-Length: +1%%a                        | MALFORMED",
                "HTTP/1.1 200 OK%Content-Length: 99999999999999999999%%       | MALFORMED",
                "HTTP/1.1 200 OK%Content-Length: 3%Content-Length: 4%%abcd    | MALFORMED",
                "HTTP/1.1 200 OK%Content-Length: 3%Content-Length: 3%%abc     | MALFORMED",
                "HTTP/1.1 200 OK%Content-Length: 3, 3%%abc                    | MALFORMED",
                "HTTP/1.1 200 OK% folded%%                                    | MALFORMED",
                "HTTP/1.1 200 OK%Transfer-Encoding: chunked%%x%               | MALFORMED",
                "HTTP/1.1 200 OK%Transfer-Encoding: chunked%%-1%              | MALFORMED",
                "HTTP/1.1 200 OK%Transfer-Encoding: chunked%%1%ab%0%%         | MALFORMED",
                "HTTP/1.1 200 OK%Transfer-Encoding: chunked%%fffffffffffffffff%| MALFORMED",
                "HTTP/1.1 200 OK%Transfer-Encoding: chunked%Content-Length: 5%%5%hello%0%% | MALFORMED",
                "HTTP/1.1 200 OK%Content-Length: 5%Transfer-Encoding: chunked%%5%hello%0%% | MALFORMED",
                "HTTP/1.1 200 OK%Transfer-Encoding: chunked%%5%hel            | SHORT_BODY",
                "HTTP/1.1 200 OK%Transfer-Encoding: chunked%%5%hello%0        | SHORT_BODY",
                "HTTP/1.1 200 OK%Content-Length: 5%%hel                       | SHORT_BODY",
                "HTTP/1.1 200 OK%Content-Len                                  | SHORT_BODY",
                "''                                                           | RESET"
            })
    void malformedAnswersHaveAKind(String text, FailureKind fault) {
        String stream = text.replace("%", "\r\n");
        for (int most = 1; most <= Math.max(1, stream.length()); most++) {
            int cut = most;
            assertEquals(
                    fault,
                    assertThrows(BadResponseException.class, () -> ours(stream, cut, 8192), text)
                            .kind());
        }
    }

    @Test
    void fieldsAreFoundByNameWhateverTheirCase() {
        BufferedHead head = Heads.buffered(200, "Content-Type: text/xml", "ETag: \"a\"", "etag: \"b\"");
        assertEquals("text/xml", head.field("content-type"));
        assertEquals("\"a\"", head.field("ETag"));
        assertNull(head.field("Content"));
        assertEquals(-1, head.number(0));
    }

    @Test
    void aTextIsFoundInTheFieldsOwnValueAlone() {
        ResponseHead head = Heads.of(200, "Content-Type: text/xml", "ETag: \"html\"", "etag: \"b\"", "X: xm");
        assertTrue(head.fieldContains("content-type", "xml"));
        assertTrue(head.fieldContains("Content-Type", "text/xml"));
        assertFalse(head.fieldContains("Content-Type", "html"));
        assertFalse(head.fieldContains("ETag", "b"), "the first of that name");
        assertFalse(head.fieldContains("X", "xml"), "at the end of the buffer");
        assertFalse(head.fieldContains("Content", "xml"));
    }

    @Test
    void aBodyThatIsNotWantedIsBrokenOff() throws IOException {
        ResponseReader reader = new ResponseReader(
                new Slow("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n123456789", 4), new byte[8192]);
        reader.head(false);
        assertFalse(reader.body((bytes, offset, length) -> false));
    }
}
