package dev.millrace.load.scenario;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import dev.millrace.load.http.Failure;
import dev.millrace.load.http.FailureKind;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathExpression;
import javax.xml.xpath.XPathExpressionException;
import org.jspecify.annotations.Nullable;
import org.w3c.dom.Document;
import org.xml.sax.SAXException;

/** Checks a body as JSON, by pointers of RFC 6901, and as XML, by XPath 1.0. Used by one thread. */
final class DocumentCheck {

    private static final ObjectMapper JSON = new ObjectMapper()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            // A message shows the number as it came: 10.50, not 10.5.
            .configure(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES, false);

    private final Expectations expected;
    private final List<XPathExpression> xpaths = new ArrayList<>();
    private final @Nullable DocumentBuilder parser;

    DocumentCheck(Expectations expected) {
        this.expected = expected;
        this.parser = expected.xpaths().isEmpty() ? null : newParser();
        expected.xpaths().forEach(text -> xpaths.add(Expectations.compile(text)));
    }

    private static DocumentBuilder newParser() {
        try {
            DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
            factory.setNamespaceAware(true);
            // The server's bytes must make this program neither read files nor expand entities.
            factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
            factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
            DocumentBuilder builder = factory.newDocumentBuilder();
            // The parser's own handler prints each fault on standard error.
            builder.setErrorHandler(null);
            return builder;
        } catch (ParserConfigurationException e) {
            throw new IllegalStateException("every JDK has a parser that can do without DTDs", e);
        }
    }

    /** Returns what is wrong with a body, or null. */
    @Nullable Failure failure(byte[] body) {
        Failure failure = expected.json().isEmpty() ? null : jsonFailure(body);
        return failure != null || parser == null ? failure : xmlFailure(parser, body);
    }

    private @Nullable Failure jsonFailure(byte[] body) {
        JsonNode root;
        try {
            root = JSON.readTree(body);
        } catch (JacksonException e) {
            return wrong("no JSON: " + e.getOriginalMessage());
        } catch (IOException e) {
            // A text that begins with three bytes of 0 is UTF-32, and Jackson's reader of that throws these.
            return wrong("no JSON: " + Failure.firstLine(e));
        }
        for (Expectations.JsonValue one : expected.json()) {
            JsonNode node = root.at(one.pointer());
            if (node.isMissingNode()) {
                return wrong(
                        one.pointer().toString().isEmpty()
                                ? "no JSON: no value"
                                : "no " + one.pointer() + " in the JSON");
            }
            String found = node.isTextual() ? node.textValue() : node.toString();
            String value = one.value();
            if (value != null && !value.equals(found) && !isSameNumber(node, value)) {
                return wrong(one.pointer() + " is " + found + ", expected " + value);
            }
        }
        return null;
    }

    /** Whether both are one number: JSON has several texts for it, such as 10, 10.0 and 1e1. */
    private static boolean isSameNumber(JsonNode node, String expected) {
        try {
            return node.isNumber() && node.decimalValue().compareTo(new BigDecimal(expected)) == 0;
        } catch (NumberFormatException ignored) {
            // What is expected is no number.
            return false;
        }
    }

    private @Nullable Failure xmlFailure(DocumentBuilder builder, byte[] body) {
        Document document;
        try {
            document = builder.parse(new ByteArrayInputStream(body));
        } catch (SAXException | IOException e) {
            return wrong("no XML: " + Failure.firstLine(e));
        }
        for (int i = 0; i < xpaths.size(); i++) {
            try {
                if (!(Boolean) xpaths.get(i).evaluate(document, XPathConstants.BOOLEAN)) {
                    return wrong(expected.xpaths().get(i) + " is false");
                }
            } catch (XPathExpressionException e) {
                return wrong(expected.xpaths().get(i) + ": " + Failure.firstLine(e));
            }
        }
        return null;
    }

    private static Failure wrong(String detail) {
        return new Failure(FailureKind.WRONG_CONTENT, detail);
    }
}
