package dev.millrace.load.scenario;

import com.fasterxml.jackson.core.JsonPointer;
import dev.millrace.load.http.Failure;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import javax.xml.xpath.XPathExpression;
import javax.xml.xpath.XPathExpressionException;
import javax.xml.xpath.XPathFactory;
import org.jspecify.annotations.Nullable;

/**
 * What the answers of any server must be. Immutable.
 *
 * @param statuses status codes, any of which is right
 * @param sha256   SHA-256 of the body in lower-case hexadecimal digits; null for any body
 * @param json     values that the body must hold as JSON; empty for none
 * @param xpaths   XPath 1.0 expressions that must be true of the body as XML; empty for none
 */
public record Expectations(
        List<Statuses> statuses, @Nullable String sha256, List<JsonValue> json, List<String> xpaths) {

    /**
     * A range of status codes. Immutable.
     *
     * @param first lowest code
     * @param last  highest code
     * @param text  the user's form, such as {@code 204} or {@code 2xx}
     */
    public record Statuses(int first, int last, String text) {}

    /**
     * A value in a JSON text. Immutable.
     *
     * @param pointer its place (RFC 6901)
     * @param value   the text of a string, a number in any form, or the JSON form of any other value; null for any value
     */
    public record JsonValue(JsonPointer pointer, @Nullable String value) {}

    /**
     * Compiles an XPath expression, which belongs to one thread.
     *
     * @throws IllegalArgumentException if it is none; the message is for people
     */
    public static XPathExpression compile(String text) {
        try {
            return XPathFactory.newInstance().newXPath().compile(text);
        } catch (XPathExpressionException e) {
            throw new IllegalArgumentException(text + " is no XPath: " + Failure.firstLine(e), e);
        }
    }

    /** Whether the body is read as a whole. */
    boolean needDocument() {
        return !json.isEmpty() || !xpaths.isEmpty();
    }

    boolean allow(int status) {
        return statuses.stream().anyMatch(range -> range.first() <= status && status <= range.last());
    }

    /** What is expected of a body, for people; empty for nothing. */
    public String describeBody() {
        List<String> parts = new ArrayList<>();
        if (sha256 != null) {
            parts.add("SHA-256 " + sha256);
        }
        json.forEach(one -> parts.add("JSON " + one.pointer() + (one.value() == null ? "" : "=" + one.value())));
        xpaths.forEach(one -> parts.add("XPath " + one));
        return String.join("; ", parts);
    }

    /** The right status codes as the user wrote them. */
    public String describeStatuses() {
        return statuses.stream().map(Statuses::text).collect(Collectors.joining(","));
    }
}
