package dev.millrace.uuid;

import com.ctc.wstx.exc.WstxLazyException;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.util.Arrays;
import java.util.Set;
import javax.xml.XMLConstants;
import javax.xml.stream.Location;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.codehaus.stax2.typed.TypedXMLStreamException;
import org.codehaus.staxmate.SMInputFactory;
import org.codehaus.staxmate.in.SMEvent;
import org.codehaus.staxmate.in.SMInputCursor;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@code <request><generate-uuid method="" count="" name="" namespace="" digest=""/>...</request>} from a stream.
 * The name may also be the element's text. Thread-safe.
 */
final class XmlReader {
    private static final int MAX_REASON_CHARS = 200;
    /** Most documents are no longer, so that one read takes them whole. */
    private static final int FIRST_BYTES = 512;

    /**
     * The charsets whose wrong bytes Woodstox refuses. For others it has a decoder of the JDK, which puts U+FFFD in
     * place of wrong bytes.
     */
    private static final Set<String> STRICT = Set.of("UTF-8", "US-ASCII", "ISO-8859-1", "UTF-32BE", "UTF-32LE");

    private final XMLInputFactory factory;

    /** A reader whose parsers come from this factory, see {@link XmlFactories#hardenedInput}. */
    XmlReader(XMLInputFactory factory) {
        this.factory = factory;
    }

    /**
     * Reads a whole document, and adds its batches to the request.
     *
     * @param charset the charset of the Content-Type field, or null; it overrides that of the document. A byte order mark overrides
     *     both (RFC 7303 section 3)
     * @throws RefusedException with line and column, when the document is malformed or invalid, or a batch is wrong
     * @throws IOException when the body cannot be read
     */
    void read(LimitedBody body, @Nullable String charset, UuidRequest uuidRequest)
            throws IOException, RefusedException {
        XMLStreamReader reader = null;
        try {
            InputStream again = new BufferedInputStream(body, FIRST_BYTES);
            reader = charset == null || hasByteOrderMark(again) ? open(again) : open(again, charset);
            readDocument(SMInputFactory.rootCursor(reader), uuidRequest);
        } catch (XMLStreamException e) {
            body.throwFailure();
            if (e.getNestedException() instanceof CharacterCodingException) {
                throw malformed("not in the charset of the document", locationOf(reader));
            }
            throw malformed(e.getMessage(), e.getLocation() == null ? locationOf(reader) : e.getLocation());
        } catch (IOException e) {
            body.throwFailure();
            throw e;
        } catch (WstxLazyException e) {
            body.throwFailure();
            throw malformed(e.getMessage(), locationOf(reader));
        } finally {
            close(reader);
        }
    }

    private static boolean hasByteOrderMark(InputStream again) throws IOException {
        again.mark(Integer.BYTES);
        int first = ByteBuffer.wrap(Arrays.copyOf(again.readNBytes(Integer.BYTES), Integer.BYTES))
                .getInt();
        again.reset();
        // Of UTF-8, UTF-16 and UTF-32. The little-endian one of UTF-32 begins with that of UTF-16.
        return first >>> 8 == 0xEFBBBF || first >>> 16 == 0xFEFF || first >>> 16 == 0xFFFE || first == 0xFEFF;
    }

    /** A reader of a document that names its charset itself, or has that of XML. */
    private XMLStreamReader open(InputStream again) throws IOException, XMLStreamException {
        again.mark(Integer.MAX_VALUE);
        XMLStreamReader reader = factory.createXMLStreamReader(again);
        String charset = reader.getEncoding();
        if (charset == null || STRICT.contains(charset)) {
            again.mark(0);
            return reader;
        }
        reader.close();
        again.reset();
        again.mark(0);
        return open(again, charset);
    }

    private XMLStreamReader open(InputStream body, String charset) throws XMLStreamException {
        return STRICT.contains(charset)
                ? factory.createXMLStreamReader(body, charset)
                : factory.createXMLStreamReader(
                        new InputStreamReader(body, Charset.forName(charset).newDecoder()));
    }

    /** Reads to the end, because a document must be well-formed behind its root element too. */
    private static void readDocument(SMInputCursor document, UuidRequest uuidRequest)
            throws XMLStreamException, RefusedException {
        for (SMEvent event = document.getNext(); event != null; event = document.getNext()) {
            if (event == SMEvent.DOCTYPE_DECL) {
                // Without support for DTDs the parser would skip their declarations in silence.
                throw invalid(document, "document type declarations are not allowed");
            } else if (event == SMEvent.START_ELEMENT) {
                readRequest(document, uuidRequest);
            }
        }
    }

    private static void readRequest(SMInputCursor root, UuidRequest uuidRequest)
            throws XMLStreamException, RefusedException {
        Location location = root.getCursorLocation();
        if (!isNamed(root, "request")) {
            throw invalid(root, "the root element must be request, in no namespace");
        }
        for (int i = 0; i < root.getAttrCount(); i++) {
            if (!isSchemaAttribute(root, i)) {
                throw invalid(root, "request has no attributes");
            }
        }
        SMInputCursor children = root.childMixedCursor();
        for (SMEvent event = children.getNext(); event != null; event = children.getNext()) {
            if (event == SMEvent.START_ELEMENT) {
                readBatch(children, uuidRequest);
            } else if (!WhiteSpace.trimmed(children.getText()).isEmpty()) {
                throw invalid(children, "request holds generate-uuid elements only, not text");
            }
        }
        if (uuidRequest.total() == 0) {
            throw invalid(location, "request needs at least one generate-uuid");
        }
    }

    private static void readBatch(SMInputCursor element, UuidRequest uuidRequest)
            throws XMLStreamException, RefusedException {
        if (!isNamed(element, "generate-uuid")) {
            throw invalid(element, "request holds generate-uuid elements only, in no namespace");
        }
        Location location = element.getCursorLocation();
        String method = null;
        String count = null;
        String name = null;
        String namespace = null;
        String digest = null;
        for (int i = 0; i < element.getAttrCount(); i++) {
            if (isSchemaAttribute(element, i)) {
                continue;
            }
            String attribute = element.getAttrNsUri(i).isEmpty() ? element.getAttrLocalName(i) : "";
            switch (attribute) {
                case "method" -> method = element.getAttrValue(i);
                case "count" -> count = element.getAttrValue(i);
                case "name" -> name = element.getAttrValue(i);
                case "namespace" -> namespace = element.getAttrValue(i);
                case "digest" -> digest = element.getAttrValue(i);
                default ->
                    throw invalid(
                            element, "generate-uuid has no attribute " + SafeText.quote(element.getAttrLocalName(i)));
            }
        }
        String text = readText(element);
        if (name != null && !text.isEmpty()) {
            throw at(
                    location,
                    new RefusedException(
                            RefusalReason.WRONG_NAME, "the name is either an attribute or text, not both"));
        }
        try {
            uuidRequest.add(Batch.parse(method, count, name == null ? text : name, namespace, digest));
        } catch (RefusedException e) {
            throw at(location, e);
        }
    }

    private static String readText(SMInputCursor element) throws XMLStreamException, RefusedException {
        try {
            return WhiteSpace.trimmed(element.getElemStringValue());
        } catch (TypedXMLStreamException e) {
            throw invalid(e.getLocation(), "generate-uuid holds text only, no elements");
        }
    }

    /** Whether the attribute tells tools where the schema is, as any may (XML Schema part 1, section 2.7). */
    private static boolean isSchemaAttribute(SMInputCursor element, int index) throws XMLStreamException {
        return element.getAttrNsUri(index).equals(XMLConstants.W3C_XML_SCHEMA_INSTANCE_NS_URI);
    }

    private static boolean isNamed(SMInputCursor element, String name) throws XMLStreamException {
        return element.getLocalName().equals(name) && element.getNsUri().isEmpty();
    }

    private static RefusedException invalid(SMInputCursor cursor, String message) throws XMLStreamException {
        return invalid(cursor.getCursorLocation(), message);
    }

    private static RefusedException invalid(Location location, String message) {
        return at(location, new RefusedException(RefusalReason.INVALID_DOCUMENT, message));
    }

    private static RefusedException malformed(@Nullable String reason, @Nullable Location location) {
        // Woodstox repeats the location below it.
        String firstLine =
                reason == null ? "" : reason.lines().findFirst().orElse("").strip();
        RefusedException refused = new RefusedException(
                RefusalReason.MALFORMED_XML,
                firstLine.isEmpty() ? "not well-formed" : SafeText.printable(firstLine, MAX_REASON_CHARS));
        return location == null ? refused : at(location, refused);
    }

    private static RefusedException at(Location location, RefusedException refused) {
        // At the end of a document the parser's column may be 0.
        return refused.at(location.getLineNumber(), Math.max(location.getColumnNumber(), 1));
    }

    private static @Nullable Location locationOf(@Nullable XMLStreamReader reader) {
        return reader == null ? null : reader.getLocation();
    }

    private static void close(@Nullable XMLStreamReader reader) {
        try {
            if (reader != null) {
                // This returns the parser's buffers for reuse. The body stays open, because the container owns it.
                reader.close();
            }
        } catch (XMLStreamException ignored) {
            // The document has been read, or another exception tells more.
        }
    }
}
