package dev.millrace.webapp;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The page in a real browser. The test is skipped with a message where Chromium is not installed. */
class PageIT {
    /** Short texts on more than one line, and contents wider than their box or the window. */
    private static final String WRAPPED_OR_CUT = """
            [...document.body.querySelectorAll('h1, h2, h3, dt, dd, th, td, li, button, label, figcaption *, article p, a')]
                .filter(one => {
                    const range = document.createRange();
                    range.selectNodeContents(one);
                    const tops = [...range.getClientRects()].map(place => place.top);
                    return Math.max(...tops) - Math.min(...tops) > 0.8 * parseFloat(getComputedStyle(one).fontSize);
                })
                .concat([...document.body.querySelectorAll(':not(.skip, thead, thead *)')].filter(one =>
                    one.getBoundingClientRect().right > innerWidth + 0.5
                    || (one.clientWidth > 0 && one.scrollWidth > one.clientWidth + 1)))
                .map(one => one.outerHTML.slice(0, 150))""";
    /** The charts of listeners beside each other that do not begin at the same height. */
    private static final String NOT_LEVEL = """
            [...document.querySelectorAll('.listener')].flatMap((one, i, all) => {
                const before = all[i - 1];
                if (!before || before.getBoundingClientRect().top !== one.getBoundingClientRect().top) {
                    return [];
                }
                const tops = card => [...card.querySelectorAll('svg')]
                    .map(svg => Math.round(svg.getBoundingClientRect().top)).join();
                return tops(before) === tops(one) ? [] : [tops(before) + ' and ' + tops(one)];
            })""";

    @TempDir
    static Path temporary;

    @TempDir
    static Path profile;

    private static ServerProcess server;
    private static Chromium chromium;
    private static String url;

    @BeforeAll
    static void start() throws Exception {
        Optional<Path> program = Chromium.find();
        assumeTrue(program.isPresent(), "no chromium on the path (Debian: apt-get install chromium)");
        server = ServerProcess.war(temporary, "--bio-port=0", "--nio-port=0", "--stock-port=0");
        url = server.url("BIO");
        chromium = Chromium.start(program.get(), profile);
    }

    @AfterAll
    static void stop() {
        if (chromium != null) {
            chromium.close();
        }
        if (server != null) {
            server.close();
        }
    }

    @BeforeEach
    void openThePage() throws Exception {
        chromium.size(1200, 900);
        chromium.colours("light");
        chromium.open(url + "/");
    }

    @Test
    void makesUuids() throws Exception {
        chromium.evaluate("count.value = 7; document.querySelector('#uuid-form button').click()");
        chromium.until("document.querySelectorAll('#uuids li').length === 7");
        assertTrue(text("#uuids li").matches("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
        assertEquals("7 UUIDs.", text("#uuid-status"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"RANDOM", "TIME", "NAME", "REORDERED", "EPOCH"})
    void knowsEveryMethod(String method) throws Exception {
        chromium.evaluate("document.getElementById('method').value = '" + method + "';"
                + "document.getElementById('method').dispatchEvent(new Event('change'));"
                + "document.querySelector('#uuid-form button').click()");
        chromium.until("document.querySelectorAll('#uuids li').length === 3");
    }

    @Test
    void copiesUuids() throws Exception {
        chromium.call(
                "Browser.grantPermissions",
                Map.of("permissions", List.of("clipboardReadWrite", "clipboardSanitizedWrite")));
        chromium.evaluate("document.querySelector('#uuid-form button').click()");
        chromium.until("document.querySelectorAll('#uuids li').length === 3");
        chromium.call("Page.bringToFront", Map.of());
        chromium.evaluate("copy.click()");
        chromium.until("document.getElementById('uuid-status').textContent === 'Copied.'");
        String copied = chromium.evaluate("navigator.clipboard.readText()").asText();
        assertEquals(3, copied.lines().count());
        assertTrue(copied.startsWith(text("#uuids li")));
    }

    @Test
    void saysWhatTheServiceRefused() throws Exception {
        chromium.evaluate("document.getElementById('uuid-form').noValidate = true;"
                + "count.value = 101; document.querySelector('#uuid-form button').click()");
        chromium.until("document.querySelector('#uuid-status.fault')");
        assertTrue(text("#uuid-status").contains("100"), text("#uuid-status"));
    }

    @Test
    void listsFilesThatCanBeFetched() throws Exception {
        chromium.until("document.querySelectorAll('#files tr').length === 6");
        assertEquals("1KB.bin", text("#files tr td"));
        assertEquals(Http.get(url, "/files/1KB.bin").md5(), text("#files tr td.code"));
        assertEquals(
                1024,
                chromium.evaluate("fetch(document.querySelector('#files a[href^=download]').href)"
                                + ".then(answer => answer.blob()).then(blob => blob.size)")
                        .asInt());
    }

    @Test
    void showsEachListenerLive() throws Exception {
        for (String listener : List.of("BIO", "NIO", "STOCK")) {
            chromium.until("document.querySelector('[data-listener=" + listener + "] polyline[points]')");
            String requests = "Number(document.querySelector('[data-listener=" + listener
                    + "] [data-figure=requests]').textContent.replace(/,/g, ''))";
            int before = chromium.evaluate(requests).asInt();
            Http.get(server.url(listener), "/files/1MB.bin");
            chromium.until(requests + " > " + before);
        }
        assertEquals("Live, once a second.", text("#connection"));
        chromium.until("document.querySelector('[data-listener=BIO] [data-figure=bytesBySendfile]')"
                + ".textContent.match(/[MG]B$/)");
    }

    /**
     * Saves screenshots of the page in the build's folder. {@code millrace.screenshotPoints} makes the charts longer.
     */
    @Test
    void movesUnderLoadAndFitsEachWidth() throws Exception {
        List<String> servers = List.of(server.url("BIO"), server.url("NIO"), server.url("STOCK"));
        try (Load load = new Load(
                servers,
                List.of(
                        "/hello",
                        "/generate-uuid?method=TIME",
                        "/files/1MB.bin",
                        "/files/200KB.bin",
                        "/files/1KB.bin"))) {
            int points = Integer.getInteger("millrace.screenshotPoints", 3);
            chromium.until("document.querySelectorAll('#files tr').length === 6");
            chromium.evaluate("document.querySelector('#uuid-form button').click()");
            for (String listener : List.of("BIO", "NIO", "STOCK")) {
                String card = "document.querySelector('[data-listener=" + listener + "]')";
                chromium.until(card + "?.querySelector('polyline[points]')?.points.length >= " + points);
                chromium.until("parseFloat(" + card + ".querySelector('[data-figure=rate]').textContent) > 0");
            }
            for (int width : List.of(1280, 390)) {
                chromium.size(width, 900);
                assertEquals("[]", chromium.evaluate(WRAPPED_OR_CUT).toString(), "at " + width + " pixels");
                assertEquals("[]", chromium.evaluate(NOT_LEVEL).toString(), "at " + width + " pixels");
                for (String scheme : List.of("light", "dark")) {
                    picture("page", width, scheme);
                }
            }
        }
    }

    private static void picture(String name, int width, String scheme) throws Exception {
        chromium.colours(scheme);
        Path picture =
                Path.of(System.getProperty("millrace.war")).resolveSibling(name + "-" + width + "-" + scheme + ".png");
        Files.write(picture, chromium.screenshot());
        assertTrue(Files.size(picture) > 1_000);
    }

    @Test
    void makesSomeLoadWithinItsBounds() throws Exception {
        chromium.until("document.querySelectorAll('#files tr').length === 6");
        chromium.until("document.querySelector('[data-listener=BIO] polyline[points]')");
        int before = chromium.requested().size();
        assertTrue(chromium.evaluate("LOAD.requests === 2000 && LOAD.millis === 10000")
                .asBoolean());
        // The rate is there for a second, so that the page looks for it from its click on.
        chromium.evaluate("LOAD.requests = 300; window.clicked = false");
        chromium.until("(clicked ||= !document.getElementById('make-load').click()) && "
                + "parseFloat(document.querySelector('[data-listener=BIO] [data-figure=rate]').textContent) > 1");
        chromium.until("/^[0-9,]+ answers in /.test(document.getElementById('load-status').textContent)");
        assertEquals("Make some load", text("#make-load"));
        List<String> asked =
                chromium.requested().subList(before, chromium.requested().size());
        assertTrue(asked.size() >= 3 && asked.size() <= 300, asked.size() + " requests");
        assertEquals(
                Set.of(url + "/hello", url + "/generate-uuid?count=10", url + "/files/200KB.bin"), Set.copyOf(asked));
        chromium.evaluate("LOAD.requests = 1e9; LOAD.millis = 500; document.getElementById('make-load').click()");
        chromium.until("document.getElementById('make-load').textContent === 'Make some load'");
        assertTrue(text("#load-status").contains(" answers in "), text("#load-status"));
    }

    @Test
    void stopsTheLoadWhenTold() throws Exception {
        chromium.evaluate("LOAD.millis = 100000; document.getElementById('make-load').click()");
        chromium.until("document.getElementById('make-load').textContent === 'Stop'");
        chromium.evaluate("document.getElementById('make-load').click()");
        chromium.until("/^[0-9,]+ answers? in /.test(document.getElementById('load-status').textContent)");
    }

    @Test
    void endsTheLoadWhenTheServerRefuses() throws Exception {
        chromium.until("document.querySelectorAll('#files tr').length === 6");
        chromium.evaluate("loadFile = 'generate-uuid?count=101'; document.getElementById('make-load').click()");
        chromium.until("document.getElementById('load-status').textContent === 'Stopped: status 422'");
        assertEquals("Make some load", text("#make-load"));
    }

    @Test
    void hintsAtTheOtherListenersAndAtTheLoadClient() throws Exception {
        chromium.until("document.querySelector('[data-listener=NIO] header a')");
        assertEquals(
                server.url("NIO") + "/",
                chromium.evaluate("document.querySelector('[data-listener=NIO] header a').href")
                        .asText());
        chromium.until("!document.getElementById('other-listeners').hidden");
        String command = text("#load-command").replaceAll("\\\\\\n *", "");
        assertEquals("java -jar loadclient.jar http -c 8 -d 10s " + url + "/hello", command);
        for (String every : List.of("http://*:8081", "http://0.0.0.0:8081", "http://[::]:8081")) {
            assertEquals(
                    "http://127.0.0.1:8081/",
                    chromium.evaluate("page('" + every + "').href").asText());
        }
    }

    @Test
    void linksToItsDescriptions() throws Exception {
        for (String name : List.of("openapi.yaml", "uuid.xsd", "web-application.md")) {
            String link = "document.querySelector('footer a[href=\"" + name + "\"]')";
            assertEquals(
                    200,
                    chromium.evaluate("fetch(" + link + ".href).then(answer => answer.status)")
                            .asInt());
        }
        assertTrue(chromium.evaluate("document.querySelector('footer a[href^=\"https://\"]') !== null")
                .asBoolean());
    }

    @ParameterizedTest
    @CsvSource({"light,390", "dark,390", "light,1280", "dark,1280"})
    void errorsHaveThePagesStyle(String scheme, int width) throws Exception {
        String style = "getComputedStyle(document.body).backgroundColor + getComputedStyle(document.body).fontFamily";
        chromium.size(width, 900);
        chromium.colours(scheme);
        String ofPage = chromium.evaluate(style).asText();
        chromium.open(url + "/nothing/here");
        assertEquals("404 Not Found", text("h1"));
        assertEquals(ofPage, chromium.evaluate(style).asText());
        assertEquals("[]", chromium.evaluate(WRAPPED_OR_CUT).toString());
        assertEquals(
                url + "/", chromium.evaluate("document.querySelector('a').href").asText());
        assertAccessible();
        picture("error", width, scheme);
    }

    @Test
    void pollsWithoutServerSentEvents() throws Exception {
        chromium.evaluate("window.EventSource = undefined; watch()");
        chromium.until("document.getElementById('connection').textContent.startsWith('Asked every')");
    }

    @Test
    void loadsNothingFromOtherHostsAndLogsNoErrors() throws Exception {
        chromium.until("document.querySelectorAll('#files tr').length === 6");
        chromium.until("document.querySelector('[data-listener=NIO]')");
        assertAll(chromium.requested().stream()
                .map(address -> () -> assertTrue(
                        address.startsWith(url + "/") || address.startsWith("data:") || address.startsWith("about:"),
                        address)));
        // The order of tests is not fixed: one of them has a refused request, and one takes screenshots.
        assertEquals(
                List.of(),
                chromium.complaints().stream()
                        .filter(text -> !text.matches(".*status of (404|422).*") && !text.startsWith("Canvas2D: "))
                        .toList());
    }

    @ParameterizedTest
    @CsvSource({"light,1280", "dark,1280", "light,390", "dark,390"})
    void isAccessible(String scheme, int width) throws Exception {
        chromium.size(width, 900);
        chromium.colours(scheme);
        chromium.until("document.querySelector('[data-listener=NIO] polyline[points]')");
        chromium.evaluate("document.querySelector('#uuid-form button').click()");
        chromium.until("document.querySelectorAll('#uuids li').length === 3");
        assertAccessible();
    }

    private void assertAccessible() throws Exception {
        try (InputStream script = getClass().getResourceAsStream(System.getProperty("millrace.axe"))) {
            chromium.evaluate(new String(script.readAllBytes(), StandardCharsets.UTF_8) + "; true");
        }
        String faults = chromium.evaluate(
                        "axe.run(document, {resultTypes: ['violations']}).then(found => "
                                + "found.violations.map(fault => fault.id + ': ' + fault.nodes.map(node => node.html)).join('\\n'))")
                .asText();
        assertEquals("", faults);
    }

    @ParameterizedTest
    @ValueSource(ints = {320, 768, 1600})
    void fitsTheWidthOfTheWindow(int width) throws Exception {
        chromium.size(width, 800);
        chromium.until("document.querySelectorAll('#files tr').length === 6");
        chromium.until("document.querySelector('[data-listener=NIO]')");
        assertTrue(chromium.evaluate("document.documentElement.scrollWidth <= " + width)
                .asBoolean());
    }

    private static String text(String selector) throws Exception {
        return chromium.evaluate("document.querySelector('" + selector + "').textContent")
                .asText();
    }
}
