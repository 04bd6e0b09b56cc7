package dev.millrace.uuid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;
import javax.xml.stream.XMLInputFactory;
import org.codehaus.stax2.XMLInputFactory2;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class XmlReaderTest {
    private final XmlReader reader = new XmlReader(XmlFactories.hardenedInput(102, 65536));

    @Test
    void theDocumentsOf2006() throws Exception {
        assertEquals(
                List.of(batch("RANDOM", "1", null), batch("TIME", "3", null), batch("NAME", "1", "http://a/b")),
                read("<request><generate-uuid method=\"RANDOM\"/><generate-uuid method=\"TIME\" count=\"3\"/>"
                        + "<generate-uuid method=\"NAME\" name=\"http://a/b\"/></request>"));
        assertEquals(
                List.of(batch("RANDOM", "1", null)),
                read("<request>\n<generate-uuid method='RANDOM' count='1' />\n</request>"));
        assertEquals(
                List.of(batch("random", "1", null), batch("location", "3", null), batch("name", "1", "http://a/b")),
                read("<?xml version='1.0'?>\n<request>\n  <generate-uuid method='random'/>\n"
                        + "  <generate-uuid method='location' count='3' />\n"
                        + "  <generate-uuid method='name'>http://a/b</generate-uuid>\n</request>\n"));
    }

    @Test
    void theNameIsTextInAnyShape() throws Exception {
        List<Batch> expected = List.of(batch("name", "1", "a<b&c"));
        for (String text : List.of(
                "a&lt;b&amp;c",
                " \n a&#60;b&#x26;c\t",
                "<![CDATA[a<b&c]]>",
                "a<!-- no -->&lt;b<![CDATA[&]]><?no no?>c")) {
            assertEquals(
                    expected, read("<request><generate-uuid method='name'>" + text + "</generate-uuid></request>"));
        }
    }

    @Test
    void namespaceAndDigest() throws Exception {
        assertEquals(
                List.of(new Batch(UuidMethod.NAME, 2, "n", Namespace.DNS, NameDigest.MD5)),
                read(
                        "<request><generate-uuid method='NAME' count='2' name='n' namespace='dns' digest='md5'/></request>"));
    }

    @Test
    void aDocumentMaySayWhereItsSchemaIs() throws Exception {
        assertEquals(
                1,
                read("<request xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' "
                                + "xsi:noNamespaceSchemaLocation='uuid.xsd'><generate-uuid/></request>")
                        .size());
    }

    @ParameterizedTest
    @CsvSource({
        "UTF-8,",
        "UTF-16,",
        "UTF-16LE,",
        "ISO-8859-1,",
        "ISO-8859-1, ISO-8859-1",
        "UTF-16BE, UTF-16BE",
        "UTF-32, UTF-32"
    })
    void encodings(String encoding, String told) throws Exception {
        byte[] document = ("<?xml version='1.0' encoding='" + encoding + "'?>"
                        + "<request><generate-uuid method='name' name='\u00e4\u00f6'/></request>")
                .getBytes(Charset.forName(encoding));
        assertEquals(List.of(batch("name", "1", "\u00e4\u00f6")), read(new ByteArrayInputStream(document), told));
    }

    private static byte[] named(String name, String encoding) {
        return ("<?xml version='1.0' encoding='" + encoding + "'?><request><generate-uuid method='name' name='" + name
                        + "'/></request>")
                .getBytes(Charset.forName(encoding));
    }

    @Test
    void encodingsThatTheParserLeavesToTheJdk() throws Exception {
        for (String told : new String[] {null, "Shift_JIS"}) {
            byte[] document = named("\u30a2\u30bd" + "x".repeat(1000), "Shift_JIS");
            assertEquals(
                    List.of(batch("name", "1", "\u30a2\u30bd" + "x".repeat(1000))),
                    read(new ByteArrayInputStream(document), told));
        }
    }

    /** The parser would put U+FFFD in their place, and all such names would be one. */
    @ParameterizedTest
    @ValueSource(strings = {"UTF-8", "US-ASCII", "Shift_JIS", "UTF-16", "UTF-16BE"})
    void bytesThatAreNotInTheEncodingAreMalformed(String encoding) {
        for (int before : new int[] {0, 1000}) {
            byte[] document = named("x".repeat(before) + "#", encoding);
            int at = document.length - 1;
            while (document[at] != '#') {
                at--;
            }
            // Two bytes that are half of a surrogate pair, or a byte that begins nothing.
            if (encoding.startsWith("UTF-16")) {
                document[at - 1] = (byte) 0xd8;
            } else {
                document[at] = (byte) 0xff;
            }
            for (String told : new String[] {null, encoding}) {
                Refusal refusal = assertThrows(
                                RefusedException.class, () -> read(new ByteArrayInputStream(document), told), told)
                        .refusal();
                assertEquals(RefusalReason.MALFORMED_XML, refusal.reason(), refusal.message());
            }
        }
    }

    @Test
    void theCharsetOfHttpOverridesTheDeclaration() throws Exception {
        byte[] document = ("<?xml version='1.0' encoding='ISO-8859-1'?>"
                        + "<request><generate-uuid method='name' name='\u00e4'/></request>")
                .getBytes(StandardCharsets.UTF_8);
        assertEquals(List.of(batch("name", "1", "\u00e4")), read(new ByteArrayInputStream(document), "UTF-8"));
    }

    /** RFC 7303 section 3. */
    @ParameterizedTest
    @CsvSource({
        "UTF-8, ISO-8859-1",
        "UTF-8, UTF-16",
        "UTF-16LE, UTF-16BE",
        "UTF-16BE, UTF-8",
        "UTF-32BE, UTF-8",
        "UTF-32LE, UTF-16"
    })
    void aByteOrderMarkOverridesTheCharsetOfHttp(String encoding, String told) throws Exception {
        byte[] document = "\uFEFF<request><generate-uuid method='name' name='\u00e4'/></request>"
                .getBytes(Charset.forName(encoding));
        assertEquals(List.of(batch("name", "1", "\u00e4")), read(new ByteArrayInputStream(document), told));
    }

    @Test
    void aDocumentShorterThanAByteOrderMarkIsMalformed() {
        for (int bytes = 0; bytes < 4; bytes++) {
            byte[] document = new byte[bytes];
            Refusal refusal = assertThrows(
                            RefusedException.class, () -> read(new ByteArrayInputStream(document), "UTF-8"))
                    .refusal();
            assertEquals(RefusalReason.MALFORMED_XML, refusal.reason(), refusal.message());
        }
    }

    /** XML 1.1 allows such characters where they are escaped. */
    @Test
    void aControlCharacterIsAPartOfTheName() throws Exception {
        String begin = "<?xml version='1.1'?><request><generate-uuid method='name'";
        List<Batch> expected = List.of(batch("name", "1", "\u0001n"));
        assertEquals(expected, read(begin + ">&#x1;n</generate-uuid></request>"));
        assertEquals(expected, read(begin + " name='&#x1;n'/></request>"));
        assertThrows(RefusedException.class, () -> read(begin + " name='n'/>&#x1;</request>"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "x",
                "<",
                "<request>",
                "<request></reques>",
                "<request><generate-uuid></request>",
                "<request><generate-uuid/></request><request/>",
                "<request><generate-uuid/></request>x",
                "<request><generate-uuid count='1' count='2'/></request>",
                "<request><generate-uuid count=1/></request>",
                "<request><generate-uuid method='name'>&nbsp;</generate-uuid></request>",
                "<request>&#0;</request>",
                "<a:request xmlns:a=''/>",
                "<a:request/>",
                "<request>\u0001</request>",
                "<!-- <request/>"
            })
    void malformedXmlIsRefused(String document) {
        assertEquals(RefusalReason.MALFORMED_XML, refusal(document).reason());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<request/>",
                "<request> <!-- none --> </request>",
                "<reqest><generate-uuid/></reqest>",
                "<request><generate-uid/></request>",
                "<request>text<generate-uuid/></request>",
                "<request>\u2003<generate-uuid/></request>",
                "<request><generate-uuid/>text</request>",
                "<request><generate-uuid coutn='3'/></request>",
                "<request xmlns='urn:x'><generate-uuid/></request>",
                "<request><generate-uuid xmlns='urn:x'/></request>",
                "<request a='b'><generate-uuid/></request>",
                "<generate-uuid/>",
                "<request><generate-uuid xmlns:a='urn:a' a:count='3'/></request>"
            })
    void invalidDocumentsAreRefused(String document) {
        assertEquals(RefusalReason.INVALID_DOCUMENT, refusal(document).reason());
    }

    @Test
    void twoNamesAreOneTooMany() {
        assertEquals(
                new Refusal(RefusalReason.WRONG_NAME, "the name is either an attribute or text, not both", 1, 10),
                refusal("<request><generate-uuid method='name' name='a'>b</generate-uuid></request>"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<request><generate-uuid><x/></generate-uuid></request>",
                "<request><generate-uuid><name>a</name></generate-uuid></request>",
                "<request><generate-uuid><generate-uuid/></generate-uuid></request>"
            })
    void anElementInsideABatchIsRefused(String document) {
        assertEquals(
                new Refusal(RefusalReason.INVALID_DOCUMENT, "generate-uuid holds text only, no elements", 1, 25),
                refusal(document));
    }

    @Test
    void faultsHaveLineAndColumn() {
        assertEquals(
                new Refusal(RefusalReason.WRONG_COUNT, "count 'x' is not a positive number", 3, 3),
                refusal("<request>\n  <generate-uuid/>\n  <generate-uuid count='x'/>\n</request>"));
        Refusal malformed = refusal("<request>\n  <generate-uuid>\n</request>");
        assertEquals(3, malformed.line());
        assertEquals(RefusalReason.MALFORMED_XML, malformed.reason());
        Refusal invalid = refusal("<request>\n <uuid/></request>");
        assertEquals("2:2", invalid.line() + ":" + invalid.column());
    }

    @Test
    void oneBatchTooManyIsAMatterOfTheLimit() throws Exception {
        assertEquals(
                100,
                read("<request>" + "<generate-uuid/>".repeat(100) + "</request>")
                        .size());
        for (int batches : new int[] {101, 102, 1000}) {
            assertEquals(
                    RefusalReason.TOO_MANY_UUIDS,
                    refusal("<request>" + "<generate-uuid/>".repeat(batches) + "</request>")
                            .reason());
        }
    }

    @Test
    void aBodyThatIsTooLongIsNotCalledMalformed() {
        String document = "<request>" + " ".repeat(2000) + "<generate-uuid/></request>";
        RefusedException e = assertThrows(
                RefusedException.class,
                () -> reader.read(new LimitedBody(stream(document), 1000), null, new UuidRequest(100)));
        assertEquals(RefusalReason.BODY_TOO_LARGE, e.refusal().reason());
    }

    @Test
    void aBrokenConnectionIsNotCalledMalformed() {
        IOException broken = new IOException("broken");
        InputStream in = new FilterInputStream(stream("<request>")) {
            @Override
            public int read(byte[] buffer, int offset, int length) throws IOException {
                int read = super.read(buffer, offset, length);
                if (read < 0) {
                    throw broken;
                }
                return read;
            }
        };
        assertSame(broken, assertThrows(IOException.class, () -> read(in, null)));
    }

    @Test
    void exceptionsOfALazyParserAreCaught() {
        XMLInputFactory lazy = XmlFactories.hardenedInput(102, 65536);
        lazy.setProperty(XMLInputFactory2.P_LAZY_PARSING, true);
        XmlReader lazyReader = new XmlReader(lazy);
        for (String text : List.of("&nbsp;", "\u0001", "<![CDATA[", "]]>")) {
            String document = "<request>  " + text + "</request>";
            RefusedException e = assertThrows(
                    RefusedException.class,
                    () -> lazyReader.read(new LimitedBody(stream(document), 65536), null, new UuidRequest(100)),
                    document);
            assertEquals(400, e.refusal().reason().status());
        }
    }

    private Refusal refusal(String document) {
        return assertThrows(RefusedException.class, () -> read(document), document)
                .refusal();
    }

    private List<Batch> read(String document) throws IOException, RefusedException {
        return read(stream(document), null);
    }

    private List<Batch> read(InputStream in, String charset) throws IOException, RefusedException {
        UuidRequest uuidRequest = new UuidRequest(100);
        reader.read(new LimitedBody(in, 65536), charset, uuidRequest);
        return uuidRequest.batches();
    }

    private static InputStream stream(String document) {
        return new ByteArrayInputStream(document.getBytes(StandardCharsets.UTF_8));
    }

    private static Batch batch(String method, String count, String name) throws RefusedException {
        return Batch.parse(method, count, name, null, null);
    }
}
