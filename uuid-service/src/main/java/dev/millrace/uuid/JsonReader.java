package dev.millrace.uuid;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PushbackReader;
import java.io.Reader;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@code {"generate-uuid":[{"method":"","count":1,"name":"","namespace":"","digest":""},...]}} (RFC 8259) from a
 * stream: the names of the XML document, each member optional. Thread-safe.
 */
final class JsonReader {
    private static final String BATCHES = "generate-uuid";
    private static final int MAX_DEPTH = 8;
    private static final int MAX_STRING_CHARS = 4096;
    private static final int MAX_NAME_CHARS = 256;
    private static final int MAX_NUMBER_CHARS = 64;
    private static final int MAX_REASON_CHARS = 200;

    // Names are not kept in a table: all requests would share it, and it would grow by names that clients make up.
    private static final char BYTE_ORDER_MARK = '\uFEFF';

    private final JsonFactory factory = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(MAX_DEPTH)
                    .maxStringLength(MAX_STRING_CHARS)
                    .maxNameLength(MAX_NAME_CHARS)
                    .maxNumberLength(MAX_NUMBER_CHARS)
                    .build())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .disable(StreamReadFeature.AUTO_CLOSE_SOURCE)
            .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .build();

    /**
     * Reads a whole document, and adds its batches to the request.
     *
     * @throws RefusedException with line and column, when the document is malformed or invalid, or a batch is wrong
     * @throws IOException when the body cannot be read
     */
    void read(LimitedBody body, UuidRequest uuidRequest) throws IOException, RefusedException {
        // RFC 8259 section 8.1 wants UTF-8. Jackson's own decoder would replace wrong bytes in silence.
        Reader text = new InputStreamReader(body, StandardCharsets.UTF_8.newDecoder());
        try (JsonParser parser = factory.createParser(withoutByteOrderMark(text))) {
            readDocument(parser, uuidRequest);
        } catch (JsonProcessingException e) {
            body.throwFailure();
            throw malformed(e.getOriginalMessage(), e.getLocation());
        } catch (CharacterCodingException e) {
            body.throwFailure();
            throw malformed("not in UTF-8", null);
        } catch (IOException e) {
            body.throwFailure();
            throw e;
        }
    }

    /** Some clients begin with one, which a reader may ignore (RFC 8259 section 8.1). Jackson does so with bytes only. */
    private static Reader withoutByteOrderMark(Reader text) throws IOException {
        PushbackReader again = new PushbackReader(text);
        int first = again.read();
        if (first >= 0 && first != BYTE_ORDER_MARK) {
            again.unread(first);
        }
        return again;
    }

    private static void readDocument(JsonParser parser, UuidRequest uuidRequest) throws IOException, RefusedException {
        JsonToken first = parser.nextToken();
        if (first == null) {
            throw malformed("the document is empty", null);
        }
        if (first != JsonToken.START_OBJECT) {
            throw invalid(parser, "the document must be an object");
        }
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            if (!parser.currentName().equals(BATCHES)) {
                throw invalid(parser, "the document has no member " + SafeText.quote(parser.currentName()));
            }
            if (parser.nextToken() != JsonToken.START_ARRAY) {
                throw invalid(parser, BATCHES + " must be an array");
            }
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                readBatch(parser, uuidRequest);
            }
        }
        if (uuidRequest.total() == 0) {
            throw invalid(parser, "the document needs at least one object in " + BATCHES);
        }
        if (parser.nextToken() != null) {
            throw invalid(parser, "nothing may stand behind the object");
        }
    }

    private static void readBatch(JsonParser parser, UuidRequest uuidRequest) throws IOException, RefusedException {
        if (parser.currentToken() != JsonToken.START_OBJECT) {
            throw invalid(parser, BATCHES + " holds objects only");
        }
        JsonLocation location = parser.currentTokenLocation();
        String method = null;
        String count = null;
        String name = null;
        String namespace = null;
        String digest = null;
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            switch (parser.currentName()) {
                case "method" -> method = string(parser);
                case "count" -> count = number(parser);
                case "name" -> name = string(parser);
                case "namespace" -> namespace = string(parser);
                case "digest" -> digest = string(parser);
                default -> throw invalid(parser, BATCHES + " has no member " + SafeText.quote(parser.currentName()));
            }
        }
        try {
            uuidRequest.add(Batch.parse(method, count, name, namespace, digest));
        } catch (RefusedException e) {
            throw at(location, e);
        }
    }

    private static String string(JsonParser parser) throws IOException, RefusedException {
        if (parser.nextToken() != JsonToken.VALUE_STRING) {
            throw invalid(parser, parser.currentName() + " must be a string");
        }
        return parser.getText();
    }

    /** The digits of a number: {@link Batch} has the rules. */
    private static String number(JsonParser parser) throws IOException, RefusedException {
        JsonToken token = parser.nextToken();
        if (token != JsonToken.VALUE_NUMBER_INT && token != JsonToken.VALUE_NUMBER_FLOAT) {
            throw invalid(parser, parser.currentName() + " must be a number");
        }
        return parser.getText();
    }

    private static RefusedException invalid(JsonParser parser, String message) {
        return at(parser.currentTokenLocation(), new RefusedException(RefusalReason.INVALID_DOCUMENT, message));
    }

    private static RefusedException malformed(String reason, @Nullable JsonLocation location) {
        // Clients need neither the names of Jackson's settings in its message, nor its second location.
        String firstLine = reason.lines().findFirst().orElse("not well-formed");
        String plain =
                firstLine.replaceAll(",? from `[^`]*`|: enable `.*", "").replaceAll(" \\([^()]*\\[Source: .*", "");
        RefusedException refused =
                new RefusedException(RefusalReason.MALFORMED_JSON, SafeText.printable(plain, MAX_REASON_CHARS));
        return location == null ? refused : at(location, refused);
    }

    private static RefusedException at(JsonLocation location, RefusedException refused) {
        return refused.at(Math.max(location.getLineNr(), 1), Math.max(location.getColumnNr(), 1));
    }
}
