package dev.millrace.uuid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SpecVersion;
import com.networknt.schema.ValidationMessage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import javax.xml.XMLConstants;
import javax.xml.transform.stream.StreamSource;
import javax.xml.validation.Schema;
import javax.xml.validation.SchemaFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.xml.sax.ErrorHandler;
import org.xml.sax.SAXException;
import org.xml.sax.SAXParseException;

/** The responses of the service are valid by its XML Schema and its OpenAPI description. */
class UuidServletContractTest {
    private static final List<String> FORMATS =
            List.of("text/xml", "application/xml", "application/json", "text/plain");
    private static final ObjectMapper JSON = new ObjectMapper();
    /** By their pointers in the description. */
    private static final Map<String, JsonSchema> JSON_SCHEMAS = new HashMap<>();

    private static UuidServer server;
    private static Schema xmlSchema;
    private static JsonNode openApi;

    @BeforeAll
    static void start() throws Exception {
        server = new UuidServer(Map.of());
        xmlSchema = SchemaFactory.newInstance(XMLConstants.W3C_XML_SCHEMA_NS_URI)
                .newSchema(UuidServletContractTest.class.getResource("/META-INF/resources/uuid.xsd"));
        try (InputStream yaml = UuidServletContractTest.class.getResourceAsStream("/META-INF/resources/openapi.yaml")) {
            openApi = new ObjectMapper(new YAMLFactory()).readTree(yaml);
        }
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
    }

    static Stream<Arguments> exchanges() {
        Stream<Exchange> gets = Stream.of(
                        "",
                        "?indent",
                        "?method=time&count=100&indent=true",
                        "?method=name&name=x",
                        "?method=name&name=x&digest=md5",
                        "?method=reordered",
                        "?method=epoch&count=3",
                        "?method=x",
                        "?count=0",
                        "?count=101",
                        "?method=name",
                        "?method=name&name=x&namespace=y",
                        "?method=name&name=x&digest=y",
                        "?count=1&count=1",
                        "?x=1")
                .map(query -> new Exchange("get", query, null));
        Stream<Exchange> posts = Stream.of(
                        "<request><generate-uuid/></request>",
                        "<request>\n<generate-uuid></request>",
                        "",
                        "<request/>",
                        "<request><generate-uuid method='\"\\&lt;'/></request>",
                        "<!DOCTYPE request><request/>",
                        "<request>" + " ".repeat(70_000) + "</request>",
                        "<request><generate-uuid count='200'/></request>")
                .map(body -> new Exchange("post", "", body));
        Stream<Exchange> jsons = Stream.of(
                        "{\"generate-uuid\":[{}]}",
                        "{\"generate-uuid\":[{\"count\":0}]}",
                        "{\"generate-uuid\":[{\"x\":0}]}",
                        "{\"generate-uuid\":[",
                        "{\"generate-uuid\":[{\"count\":200}]}")
                .map(body -> new Exchange("post", "?indent", body));
        return Stream.of(gets, posts, jsons)
                .flatMap(exchanges -> exchanges)
                .flatMap(exchange -> FORMATS.stream().map(format -> Arguments.of(exchange, format)));
    }

    @ParameterizedTest
    @MethodSource("exchanges")
    void answersAreAsDescribed(Exchange exchange, String format) throws Exception {
        assertDescribed(exchange.method(), server.send(exchange.request().header("Accept", format)), format);
    }

    @Test
    void refusalsOfTheRequestItselfAreAsDescribed() throws Exception {
        Exchange good = new Exchange("post", "", "<request><generate-uuid/></request>");
        HttpResponse<String> unsupported = server.send(good.request().setHeader("Content-Type", "text/csv"));
        assertEquals(415, unsupported.statusCode());
        assertDescribed("post", unsupported, "text/xml");
        HttpResponse<String> unacceptable = server.get("", "image/png");
        assertEquals(406, unacceptable.statusCode());
        assertDescribed("get", unacceptable, "text/xml");
        HttpResponse<String> put = server.send(server.request("").PUT(BodyPublishers.ofString("")));
        assertEquals(405, put.statusCode());
        assertDescribed("get", put, "text/xml");
    }

    private static void assertDescribed(String method, HttpResponse<String> response, String format) throws Exception {
        JsonNode responses = openApi.at("/paths/~1generate-uuid/" + method + "/responses");
        JsonNode described = responses.path(Integer.toString(response.statusCode()));
        if (response.statusCode() != 405) {
            assertFalse(described.isMissingNode(), method + " may not answer " + response.statusCode());
        }
        JsonNode reference = described.isMissingNode() ? responses.get("default") : described;
        String pointer = reference.get("$ref").textValue().substring(1) + "/content/" + format.replace("/", "~1");
        assertFalse(openApi.at(pointer).isMissingNode(), pointer);
        String contentType = response.headers().firstValue("Content-Type").orElseThrow();
        assertEquals(format, contentType.split(";")[0]);
        assertEquals("no-store", response.headers().firstValue("Cache-Control").orElseThrow());
        JsonNode body =
                format.equals("application/json") ? JSON.readTree(response.body()) : TextNode.valueOf(response.body());
        assertEquals(Set.of(), validate(pointer + "/schema", body), response.body());
        if (format.endsWith("xml")) {
            validateXml(response.body().getBytes(StandardCharsets.UTF_8));
        }
    }

    @Test
    void theSchemasRejectWrongDocuments() throws Exception {
        String responses = "/components/responses/";
        assertFalse(validate(responses + "uuids/content/application~1json/schema", JSON.readTree("{}"))
                .isEmpty());
        assertFalse(validate(
                        responses + "error/content/application~1json/schema",
                        JSON.readTree("{\"error\":{\"msg\":\"x\",\"cause\":{\"type\":\"x\"}}}"))
                .isEmpty());
        assertFalse(validate(responses + "uuids/content/text~1plain/schema", TextNode.valueOf("x\n"))
                .isEmpty());
        for (String wrong : List.of(
                "<response/>",
                "<response><uuid>x</uuid></response>",
                "<error><msg>x</msg></error>",
                "<error><msg>x</msg><cause type='x'/></error>",
                "<request/>")) {
            assertThrows(SAXException.class, () -> validateXml(wrong.getBytes(StandardCharsets.UTF_8)), wrong);
        }
    }

    @Test
    void theDescriptionsNameAllValuesOfTheCode() throws Exception {
        Set<String> faults = Arrays.stream(RefusalReason.values())
                .map(RefusalReason::type)
                .collect(Collectors.toCollection(TreeSet::new));
        assertEquals(faults, texts("/components/schemas/Error/properties/error/properties/cause/properties/type/enum"));
        String parameters = "/paths/~1generate-uuid/get/parameters/";
        for (String method : texts(parameters + "0/schema/enum")) {
            UuidMethod.parse(method);
        }
        assertTrue(texts(parameters + "0/schema/enum").containsAll(lowerCase(UuidMethod.values())));
        assertEquals(lowerCase(Namespace.values()), texts(parameters + "3/schema/enum"));
        for (String digest : texts(parameters + "4/schema/enum")) {
            NameDigest.parse(digest);
        }
        for (String reason : faults) {
            validateXml(("<error><msg>m</msg><cause type='" + reason + "'/></error>").getBytes(StandardCharsets.UTF_8));
        }
    }

    /**
     * Of the generated documents, the service refuses exactly those as malformed or invalid that the schema rejects.
     */
    @Test
    void theSchemaOfRequestsIsWhatTheServiceTakes() throws Exception {
        DocumentGenerator generator = new DocumentGenerator();
        XmlReader reader = new XmlReader(XmlFactories.hardenedInput(1000, 1_000_000));
        int valid = 0;
        for (long seed = 0; seed < 5_000; seed++) {
            byte[] document = generator.generate(seed);
            String text = new String(document, StandardCharsets.UTF_8);
            // The schema does not cover DTDs. Without the zeros of UTF-16, this finds them in all encodings.
            if (text.replace("\0", "").contains("<!DOCTYPE") || document.length > 2_000) {
                continue;
            }
            boolean expected = isValid(document);
            UuidRequest uuidRequest = new UuidRequest(1_000_000);
            try {
                reader.read(new LimitedBody(new ByteArrayInputStream(document), 1_000_000), null, uuidRequest);
                assertTrue(expected, "seed " + seed + ": the schema refuses what the service takes: " + text);
                valid++;
            } catch (RefusedException e) {
                // Nor can the schema require a name for one method only, or forbid two names.
                assertTrue(
                        !expected || e.refusal().reason() == RefusalReason.WRONG_NAME,
                        "seed " + seed + ": the schema takes what the service refuses: " + text + e.refusal());
            }
        }
        assertTrue(valid > 500, valid + " valid documents");
    }

    /** As the test of XML above, with documents around the valid ones. */
    @Test
    void theSchemaOfJsonRequestsIsWhatTheServiceTakes() throws Exception {
        JsonReader reader = new JsonReader();
        Random random = new Random(9457);
        int valid = 0;
        for (int i = 0; i < 3_000; i++) {
            JsonNode document = requestDocument(random);
            byte[] bytes = JSON.writeValueAsBytes(document);
            boolean expected =
                    validate("/components/schemas/Request", lowerCase(document)).isEmpty();
            try {
                reader.read(new LimitedBody(new ByteArrayInputStream(bytes), 1_000_000), new UuidRequest(1_000_000));
                assertTrue(expected, "the schema refuses what the service takes: " + document);
                valid++;
            } catch (RefusedException e) {
                assertTrue(
                        !expected || e.refusal().reason() == RefusalReason.WRONG_NAME,
                        "the schema takes what the service refuses: " + document + e.refusal());
            }
        }
        assertTrue(valid > 300, valid + " valid documents");
    }

    private static JsonNode requestDocument(Random random) {
        ObjectNode document = JSON.createObjectNode();
        ArrayNode batches = document.putArray("generate-uuid");
        for (int i = random.nextInt(10) == 0 ? 0 : 1; i > 0; i = random.nextInt(2)) {
            ObjectNode batch = batches.addObject();
            for (String member : List.of("method", "count", "name", "namespace", "digest")) {
                if (random.nextInt(3) == 0) {
                    batch.set(member, memberValue(member, random));
                }
            }
            if (random.nextInt(20) == 0) {
                batch.put("x", 1);
            }
        }
        switch (random.nextInt(30)) {
            case 0 -> document.put("x", 1);
            case 1 -> document.put("generate-uuid", "x");
            case 2 -> batches.add(7);
            case 3 -> document.set("generate-uuid", JSON.createObjectNode());
            case 4 -> document.remove("generate-uuid");
            case 5 -> {
                return batches;
            }
            default -> {}
        }
        return document;
    }

    private static JsonNode memberValue(String member, Random random) {
        if (random.nextInt(12) == 0) {
            return List.of(
                            JSON.nullNode(),
                            JSON.createArrayNode(),
                            JSON.createObjectNode(),
                            TextNode.valueOf("?"),
                            BooleanNode.TRUE,
                            DoubleNode.valueOf(1.5))
                    .get(random.nextInt(6));
        }
        List<String> words = switch (member) {
            case "method" -> List.of("random", "TIME", "location", "name", "Name", "reordered", "epoch");
            case "namespace" -> List.of("dns", "URL", "oid", "x500", "none");
            case "digest" -> List.of("sha-1", "MD5");
            default -> List.of("a", "b");
        };
        return member.equals("count")
                ? IntNode.valueOf(random.nextInt(6))
                : TextNode.valueOf(words.get(random.nextInt(words.size())));
    }

    /** The service takes words in any case, which an enumeration of a schema cannot say. */
    private static JsonNode lowerCase(JsonNode document) throws IOException {
        return JSON.readTree(document.toString().toLowerCase(Locale.ROOT));
    }

    private static boolean isValid(byte[] document) throws Exception {
        try {
            validateXml(document);
            return true;
        } catch (SAXException | IOException invalid) {
            return false;
        }
    }

    private static void validateXml(byte[] document) throws Exception {
        var validator = xmlSchema.newValidator();
        validator.setErrorHandler(new StrictHandler());
        validator.validate(new StreamSource(new ByteArrayInputStream(document)));
    }

    private static Set<ValidationMessage> validate(String pointer, JsonNode value) {
        return JSON_SCHEMAS
                .computeIfAbsent(pointer, UuidServletContractTest::jsonSchema)
                .validate(value);
    }

    private static JsonSchema jsonSchema(String pointer) {
        JsonSchemaFactory factory = JsonSchemaFactory.getInstance(
                SpecVersion.VersionFlag.V202012,
                builder ->
                        builder.schemaLoaders(loaders -> loaders.schemas(Map.of("urn:openapi", openApi.toString()))));
        return factory.getSchema(SchemaLocation.of("urn:openapi#" + pointer));
    }

    private static Set<String> texts(String pointer) {
        return StreamSupport.stream(openApi.at(pointer).spliterator(), false)
                .map(JsonNode::textValue)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> lowerCase(Enum<?>[] values) {
        return Arrays.stream(values)
                .map(value -> value.name().toLowerCase(Locale.ROOT))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Sends a request, whose body is XML if it has one. */
    record Exchange(String method, String query, String body) {
        HttpRequest.Builder request() {
            HttpRequest.Builder request = server.request(query);
            return body == null
                    ? request
                    : request.header("Content-Type", body.startsWith("{") ? "application/json" : "text/xml")
                            .POST(BodyPublishers.ofString(body));
        }
    }

    /** Throws the validator's errors. Without this handler it prints them and goes on. */
    private static final class StrictHandler implements ErrorHandler {
        @Override
        public void warning(SAXParseException e) throws SAXException {
            throw e;
        }

        @Override
        public void error(SAXParseException e) throws SAXException {
            throw e;
        }

        @Override
        public void fatalError(SAXParseException e) throws SAXException {
            throw e;
        }
    }
}
