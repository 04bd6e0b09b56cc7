package dev.millrace.uuid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Element;

class UuidServletTest {
    private static UuidServer server;

    @BeforeAll
    static void start() throws Exception {
        server = new UuidServer(Map.of());
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
    }

    @Test
    void withoutParametersOneRandomUuid() throws Exception {
        HttpResponse<String> response = server.get("");
        assertEquals(200, response.statusCode());
        assertEquals("text/xml; charset=UTF-8", contentType(response));
        assertEquals("no-store", response.headers().firstValue("Cache-Control").orElseThrow());
        assertTrue(
                response.body()
                        .matches(
                                "<\\?xml version=\"1.0\" encoding=\"UTF-8\"\\?>\\s*<response><uuid>[0-9a-f-]{36}</uuid></response>"),
                response.body());
        assertEquals(4, Responses.uuids(response.body()).get(0).version());
    }

    @ParameterizedTest
    @CsvSource({
        "?method=RANDOM&count=3, 4, 3",
        "?method=TIME&count=100, 1, 100",
        "?method=location, 1, 1",
        "?method=NAME&name=http://a/b&count=2, 5, 2",
        "?method=name&name=x&digest=md5, 3, 1",
        "?method=reordered&count=2, 6, 2",
        "?method=Epoch, 7, 1"
    })
    void get(String query, int version, int count) throws Exception {
        HttpResponse<String> response = server.get(query);
        assertEquals(200, response.statusCode(), response.body());
        List<UUID> uuids = Responses.uuids(response.body());
        assertEquals(count, uuids.size());
        uuids.forEach(uuid -> assertEquals(version, uuid.version()));
    }

    @Test
    void postOfSeveralBatches() throws Exception {
        HttpResponse<String> response = server.post("<request><generate-uuid method=\"RANDOM\"/>"
                + "<generate-uuid method=\"TIME\" count=\"3\"/><generate-uuid method=\"NAME\" name=\"a\"/>"
                + "<generate-uuid method=\"name\">a</generate-uuid></request>");
        assertEquals(200, response.statusCode(), response.body());
        List<UUID> uuids = Responses.uuids(response.body());
        assertEquals(
                List.of(4, 1, 1, 1, 5, 5), uuids.stream().map(UUID::version).toList());
        assertEquals(uuids.get(4), uuids.get(5));
    }

    /** By default HttpURLConnection calls a body a form, and so did the client of 2006. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "text/xml",
                "application/xml",
                "Text/XML; charset=\"utf-8\"",
                "text/xml;charset=UTF-8",
                "application/x-www-form-urlencoded"
            })
    void contentTypes(String contentType) throws Exception {
        HttpResponse<String> response = server.send(server.request("?indent")
                .header("Content-Type", contentType)
                .POST(BodyPublishers.ofString("<request>\n<generate-uuid method='RANDOM' count='1' />\n</request>")));
        assertEquals(200, response.statusCode(), response.body());
        assertEquals(1, Responses.uuids(response.body()).size());
    }

    /** A flush by the service would make each response chunked, and cost another system call. */
    @ParameterizedTest
    @ValueSource(strings = {"text/xml", "application/json", "text/plain"})
    void answersHaveALength(String accept) throws Exception {
        for (String query : List.of("?count=100", "?count=0")) {
            HttpResponse<String> response = server.get(query, accept);
            assertEquals(
                    response.body().length(),
                    response.headers().firstValueAsLong("Content-Length").orElse(-1));
        }
    }

    @Test
    void headHasTheHeadersOfGet() throws Exception {
        HttpResponse<String> response = server.send(server.request("").method("HEAD", BodyPublishers.noBody()));
        assertEquals(200, response.statusCode());
        assertEquals("text/xml; charset=UTF-8", contentType(response));
        assertEquals("", response.body());
    }

    @Test
    void indentationOnRequest() throws Exception {
        String expected = "\n<response>\n  <uuid>UUID</uuid>\n  <uuid>UUID</uuid>\n</response>";
        String body = server.get("?count=2&indent=true").body().replaceAll("[0-9a-f-]{36}", "UUID");
        assertTrue(body.contains(expected), body);
        assertFalse(server.get("?count=2&indent=false").body().contains("\n  <uuid>"));
    }

    @Test
    void otherFormatsByAccept() throws Exception {
        HttpResponse<String> json = server.get("?count=2", "application/json");
        assertEquals("application/json", contentType(json));
        assertTrue(json.body().matches("\\{\"uuids\":\\[\"[0-9a-f-]{36}\",\"[0-9a-f-]{36}\"]}"), json.body());
        HttpResponse<String> text = server.get("?count=2", "text/plain");
        assertEquals("text/plain; charset=UTF-8", contentType(text));
        assertTrue(text.body().matches("([0-9a-f-]{36}\n){2}"), text.body());
        HttpResponse<String> xml = server.get("", "application/xml");
        assertEquals("application/xml; charset=UTF-8", contentType(xml));
        assertEquals(1, Responses.uuids(xml.body()).size());
    }

    @ParameterizedTest
    @CsvSource({
        "?method=NONE, unknown-method",
        "?count=0, wrong-count",
        "?count=x, wrong-count",
        "?count=101, too-many-uuids",
        "?method=NAME, wrong-name",
        "?method=NAME&name=x&namespace=y, unknown-namespace",
        "?method=NAME&name=x&digest=y, unknown-digest"
    })
    void wrongValuesAre422(String query, String type) throws Exception {
        assertRefused(422, type, server.get(query));
    }

    @ParameterizedTest
    @ValueSource(strings = {"?count=1&count=2", "?name=%zz", "?name=%C3%28"})
    void malformedQueriesAre400(String query) throws Exception {
        String answer = RawClient.exchange(
                server.port(),
                "GET /generate-uuid" + query + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        assertTrue(answer.startsWith("HTTP/1.1 400 "), answer);
    }

    @Test
    void nothingIsGeneratedWhenOneBatchIsWrong() throws Exception {
        HttpResponse<String> response =
                server.post("<request>\n<generate-uuid count='50'/>\n<generate-uuid method='x'/>\n</request>");
        Element cause = assertRefused(422, "unknown-method", response);
        assertEquals("3", cause.getAttribute("line"));
        assertEquals("1", cause.getAttribute("column"));
        assertFalse(response.body().contains("<uuid>"));
        assertRefused(
                422,
                "too-many-uuids",
                server.post("<request><generate-uuid count='60'/><generate-uuid count='60'/></request>"));
    }

    @Test
    void unknownParametersAre422() throws Exception {
        assertRefused(422, "unknown-parameter", server.get("?cuont=3"));
        assertRefused(422, "unknown-parameter", server.get("?method=time&method%20=x"));
        assertRefused(422, "unknown-parameter", server.get("?Count=3"));
        String document = "<request><generate-uuid/></request>";
        HttpResponse<String> post =
                server.send(server.request("?indent&count=3").POST(BodyPublishers.ofString(document)));
        assertRefused(422, "unknown-parameter", post);
        for (String query : List.of("", "?", "?indent", "?indent=true", "?&indent=false&")) {
            assertEquals(
                    200,
                    server.send(server.request(query).POST(BodyPublishers.ofString(document)))
                            .statusCode(),
                    query);
        }
    }

    @Test
    void postOfJson() throws Exception {
        HttpResponse<String> response = json(
                "{\"generate-uuid\":[{},{\"method\":\"TIME\",\"count\":2},{\"method\":\"name\",\"name\":\"a\",\"digest\":\"md5\"}]}");
        assertEquals(200, response.statusCode(), response.body());
        assertEquals("application/json", contentType(response));
        assertTrue(
                response.body()
                        .matches(
                                "\\{\"uuids\":\\[\"[0-9a-f-]{14}4.*\",\"[0-9a-f-]{14}1.*\",\"[0-9a-f-]{14}1.*\",\"[0-9a-f-]{14}3.*\"]}"),
                response.body());
        HttpResponse<String> xml = server.send(server.request("?indent")
                .header("Content-Type", "Application/JSON; charset=utf-8")
                .header("Accept", "text/xml")
                .POST(BodyPublishers.ofString("{\"generate-uuid\":[{\"count\":3}]}")));
        assertEquals(3, Responses.uuids(xml.body()).size());
    }

    @Test
    void refusalsOfJsonSayWhere() throws Exception {
        HttpResponse<String> response = json("{\"generate-uuid\": [\n  {\"count\": 0}]}");
        assertEquals(422, response.statusCode());
        assertEquals(
                "{\"error\":{\"msg\":\"count '0' is not a positive number\","
                        + "\"cause\":{\"type\":\"wrong-count\",\"line\":2,\"column\":3}}}",
                response.body());
        assertEquals(400, json("{").statusCode());
        assertEquals(
                413, json("{\"generate-uuid\":[" + " ".repeat(70_000) + "]}").statusCode());
        assertEquals(
                422, json("{\"generate-uuid\":[{\"count\":60},{\"count\":60}]}").statusCode());
    }

    private static HttpResponse<String> json(String document) throws Exception {
        return server.send(
                server.request("").header("Content-Type", "application/json").POST(BodyPublishers.ofString(document)));
    }

    @Test
    void malformedAndInvalidXmlAre400() throws Exception {
        Element cause = assertRefused(400, "malformed-xml", server.post("<request>\n <generate-uuid>\n</request>"));
        assertEquals("3", cause.getAttribute("line"));
        assertRefused(400, "invalid-document", server.post("<request/>"));
        assertRefused(400, "malformed-xml", server.post(""));
    }

    @ParameterizedTest
    @ValueSource(strings = {"PUT", "DELETE", "PATCH", "BREW"})
    void otherMethodsAre405(String method) throws Exception {
        HttpResponse<String> response = server.send(server.request("").method(method, BodyPublishers.noBody()));
        assertRefused(405, "method-not-allowed", response);
        assertEquals(
                "GET, HEAD, POST, OPTIONS",
                response.headers().firstValue("Allow").orElseThrow());
    }

    @Test
    void optionsTellTheMethods() throws Exception {
        HttpResponse<String> response = server.send(server.request("").method("OPTIONS", BodyPublishers.noBody()));
        assertEquals(200, response.statusCode());
        assertEquals(
                "GET, HEAD, POST, OPTIONS",
                response.headers().firstValue("Allow").orElseThrow());
    }

    @Test
    void unacceptableIs406() throws Exception {
        assertRefused(406, "not-acceptable", server.get("", "image/png"));
    }

    @ParameterizedTest
    @CsvSource({
        "text/json,",
        "application/problem+json,",
        "text/plain,",
        "text/xml; charset=nonsense,",
        "text/xml; charset=\u00e4,",
        "text/xml, gzip"
    })
    void unsupportedMediaTypesAre415(String contentType, String contentEncoding) throws Exception {
        var request = server.request("")
                .header("Content-Type", contentType.replace('\u00e4', '!'))
                .POST(BodyPublishers.ofString("<request><generate-uuid/></request>"));
        if (contentEncoding != null) {
            request.header("Content-Encoding", contentEncoding);
        }
        HttpResponse<String> response = server.send(request);
        assertRefused(415, "unsupported-media-type", response);
        assertEquals(
                "text/xml, application/xml, application/json",
                response.headers().firstValue("Accept").orElseThrow());
    }

    @Test
    void longBodiesAre413() throws Exception {
        String document = "<request><generate-uuid/>" + " \n".repeat(40_000) + "</request>";
        assertRefused(413, "body-too-large", server.post(document));
    }

    /** Many clients send the whole request before they read the response. */
    @Test
    void theAnswerReachesAPeerThatSendsAllFirst() throws Exception {
        for (String method : List.of("POST", "PUT")) {
            String answer = RawClient.exchange(
                    server.port(),
                    method + " /generate-uuid HTTP/1.1\r\nHost: localhost\r\n"
                            + "Connection: close\r\nContent-Length: 900000\r\n\r\n" + " ".repeat(900_000));
            assertTrue(answer.startsWith("HTTP/1.1 4"), answer);
        }
    }

    @Test
    void aLongBodyIsNotInvited() throws Exception {
        String answer = RawClient.exchange(
                server.port(),
                "POST /generate-uuid HTTP/1.1\r\nHost: localhost\r\n"
                        + "Expect: 100-continue\r\nContent-Length: 900000\r\n\r\n");
        assertTrue(answer.startsWith("HTTP/1.1 413 "), answer);
    }

    @Test
    void longBodiesOfUnknownLengthAre413() throws Exception {
        byte[] chunk = "<!-- a comment -->".repeat(1000).getBytes(StandardCharsets.US_ASCII);
        HttpResponse<String> response = server.send(server.request("")
                .header("Content-Type", "text/xml")
                .POST(BodyPublishers.ofByteArrays(
                        List.of("<request>".getBytes(StandardCharsets.US_ASCII), chunk, chunk, chunk, chunk))));
        assertRefused(413, "body-too-large", response);
    }

    @Test
    void refusalsKeepToTheAcceptedFormat() throws Exception {
        assertEquals(
                "{\"error\":{\"msg\":\"count '0' is not a positive number\","
                        + "\"cause\":{\"type\":\"wrong-count\"}}}",
                server.get("?count=0", "application/json").body());
        assertEquals(
                "wrong-count: count '0' is not a positive number\n",
                server.get("?count=0", "text/plain").body());
        HttpResponse<String> located = server.send(server.request("")
                .header("Accept", "text/plain")
                .POST(BodyPublishers.ofString("<request>\n<generate-uuid count='-'/></request>")));
        assertEquals("wrong-count at line 2, column 1: count '-' is not a positive number\n", located.body());
    }

    @Test
    void limitsAreConfigurable() throws Exception {
        try (UuidServer small = new UuidServer(Map.of("maxUuids", "3", "maxBodyBytes", "100"))) {
            assertEquals(200, small.get("?count=3").statusCode());
            assertRefused(422, "too-many-uuids", small.get("?count=4"));
            assertRefused(413, "body-too-large", small.post("<request>" + " ".repeat(100) + "</request>"));
        }
    }

    /** The Content-Type field as the service sets it. Jetty writes the charset in another form of the same meaning. */
    private static String contentType(HttpResponse<String> response) {
        return response.headers().firstValue("Content-Type").orElseThrow().replace(";charset=utf-8", "; charset=UTF-8");
    }

    private static Element assertRefused(int status, String type, HttpResponse<String> response) throws Exception {
        assertEquals(status, response.statusCode(), response.body());
        assertEquals("text/xml; charset=UTF-8", contentType(response));
        Element cause = Responses.cause(response.body());
        assertEquals(type, cause.getAttribute("type"));
        return cause;
    }
}
