package dev.millrace.load.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.load.experiment.Experiment;
import dev.millrace.load.experiment.Row;
import dev.millrace.load.run.CellResult;
import dev.millrace.load.run.Counts;
import dev.millrace.load.run.CpuUse;
import dev.millrace.load.run.FailureCount;
import dev.millrace.load.run.Percentiles;
import dev.millrace.load.run.Series;
import dev.millrace.load.run.SizeResult;
import dev.millrace.load.run.Times;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import javax.imageio.ImageIO;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The report in a real browser. The test is skipped with a message where Chromium is not installed. */
class ReportInChromiumTest {

    private static final int WIDTH = 1280;
    private static final int TELEPHONE = 390;
    private static final double LEAST_TEXT = 11;
    /** Elements outside the window, and text outside its picture. */
    private static final String OUTSIDE = """
            [...document.body.querySelectorAll('*')].filter(one => one.closest('.wide') === null || one.matches('.wide'))
                .filter(one => one.getBoundingClientRect().right > innerWidth + 1)
                .concat([...document.querySelectorAll('svg text')].filter(text => {
                    const place = text.getBoundingClientRect(), picture = text.closest('svg').getBoundingClientRect();
                    return place.left < picture.left - 1 || place.right > picture.right + 1
                        || place.top < picture.top - 1 || place.bottom > picture.bottom + 1;
                })).map(one => one.outerHTML.slice(0, 150))""";
    /** The title of each picture, its width on the screen, and the number of its visible marks. */
    private static final String PICTURES = """
            [...document.querySelectorAll('figure')].map(figure => [figure.querySelector('figcaption').textContent,
                figure.querySelector('svg').getBoundingClientRect().width,
                [...figure.querySelectorAll('polyline, circle, rect')].filter(mark => {
                    const place = mark.getBoundingClientRect();
                    return place.width > 0 && place.height > 0;
                }).length])""";
    /** The height of the smallest letters in pictures, in pixels of the screen. */
    private static final String SMALLEST_TEXT = """
            Math.min(...[...document.querySelectorAll('svg')].filter(svg => svg.querySelector('text'))
                .map(svg => parseFloat(getComputedStyle(svg.querySelector('text')).fontSize)
                    * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width))""";
    /** The colours of each name in all legends, and the classes of the marks that have that colour. */
    private static final String LEGENDS = """
            [...document.querySelectorAll('figure .key')].map(key => key.textContent.trim() + ' '
                + getComputedStyle(key.querySelector('i')).backgroundColor)""";
    /** Runs axe-core, and names what it finds. By itself it would write out the whole page for each of its texts. */
    private static final String AXE = """
            axe.configure({noHtml: true});
            axe.run(document, {resultTypes: ['violations']}).then(found => found.violations
                .map(fault => fault.id + ': ' + fault.nodes
                    .map(node => document.querySelector(node.target[0]).outerHTML.slice(0, 200))).join('\\n'))""";
    /** Names below a picture that overlap. */
    private static final String COVERED = """
            [...document.querySelectorAll('figure svg')].flatMap(svg => {
                const texts = [...svg.querySelectorAll('text[text-anchor=middle]')]
                    .map(text => [text.textContent, text.getBoundingClientRect()]);
                return texts.filter(([name, one], i) => texts.slice(i + 1).some(([other, next]) =>
                    one.left < next.right && next.left < one.right
                    && one.top < next.bottom - 2 && next.top < one.bottom - 2))
                    .map(text => text[0]);
            })""";

    @TempDir
    static Path folder;

    @TempDir
    static Path profile;

    private static Chromium chromium;

    @BeforeAll
    static void start() throws Exception {
        Optional<Path> program = Chromium.find();
        assumeTrue(program.isPresent(), "no chromium on the path (Debian: apt-get install chromium)");
        ReportFolder.write(sweep(), folder.resolve("sweep"), EnumSet.of(OutputFormat.HTML));
        ReportFolder.write(wide(), folder.resolve("wide"), EnumSet.of(OutputFormat.HTML));
        for (String name : Experiment.NAMES) {
            ReportFolder.write(replay(name), folder.resolve(name), EnumSet.of(OutputFormat.HTML));
        }
        chromium = Chromium.start(program.get(), profile);
    }

    @AfterAll
    static void stop() throws InterruptedException {
        if (chromium != null) {
            chromium.close();
        }
    }

    private static CellResult cell(String label, Map<String, String> parameters, int repetition, boolean bytes) {
        int clients = Integer.parseInt(parameters.get("clients"));
        long seed = Math.abs((label + parameters).hashCode() % 50L) + repetition;
        Histogram latency = new Histogram(3);
        for (long i = 1; i < 2000; i++) {
            latency.recordValue((i * i / 400 + 50) * 1000 * clients);
        }
        ByteBuffer buffer = ByteBuffer.allocate(latency.getNeededByteBufferCapacity());
        int length = latency.encodeIntoCompressedByteBuffer(buffer);
        Percentiles times = new Percentiles(2000, 900, 100.0, 800.0 + seed, 1000.0, 2000.0, 9000);
        List<SizeResult> sizes = bytes
                ? List.of(
                        new SizeResult(1024, 10, times, null, null, null),
                        new SizeResult(5_242_880, 10, times, 90.0, 50.0, 88.0))
                : List.of();
        return new CellResult(
                label,
                parameters,
                repetition,
                "closed",
                bytes,
                4.0,
                new Counts(clients * (900 + seed), clients * (9_000_000 + seed * 100_000), clients, 0, 0, 0),
                seed == 7 ? Map.of("reset", new FailureCount(2, "closed <early>")) : Map.of(),
                new Times(times, null, times, times, times, null),
                sizes,
                new CpuUse(2.5, 1.5, 0.1, 3.5, 0.1, 0.2, 40L, 200_000_000L, false, null),
                new Series(
                        List.of(80L, 95L),
                        List.of(90L + seed, 100L, 110L, 100L),
                        List.of(9_000_000L, 10_000_000L + seed * 50_000, 11_000_000L, 10_500_000L)),
                Base64.getEncoder().encodeToString(Arrays.copyOf(buffer.array(), length)),
                seed == 7 ? "errors" : "box-bound",
                List.of("a note"));
    }

    private static RunFile sweep() {
        List<CellResult> cells = new ArrayList<>();
        for (int repetition = 0; repetition < 2; repetition++) {
            for (String label : List.of("BIO", "NIO", "STOCK")) {
                for (String clients : List.of("1", "8", "100", "1000")) {
                    Map<String, String> parameters = new LinkedHashMap<>();
                    parameters.put("clients", clients);
                    parameters.put("method", "GET");
                    parameters.put("keepalive", "on");
                    cells.add(cell(label, parameters, repetition, false));
                }
                for (String file : List.of("1KB.bin", "200KB.bin", "500KB.bin", "1MB.bin", "20MB.bin", "100MB.bin")) {
                    Map<String, String> parameters = new LinkedHashMap<>();
                    parameters.put("clients", "50");
                    parameters.put("file", file);
                    parameters.put("limit", "1000000");
                    cells.add(cell(label, parameters, repetition, true));
                }
            }
        }
        return RunFile.of(
                "A sweep <of> servers",
                "2026-01-01T00:00:00Z",
                "loadclient " + "-x http://127.0.0.1:8080/ ".repeat(20),
                Map.of("os", "Linux", "server options", "--option=value ".repeat(30)),
                Map.of("window", "4 s"),
                cells);
    }

    /** Ten conditions of one server, millions of requests, long names, and an interval far beyond the values. */
    private static RunFile wide() {
        List<CellResult> cells = new ArrayList<>();
        for (int condition = 0; condition < 10; condition++) {
            for (int repetition = 0; repetition < 2; repetition++) {
                Map<String, String> parameters = new LinkedHashMap<>();
                parameters.put("clients", "8");
                parameters.put("url", "/a/long/path/of/a/page/that/has/many/parts/" + condition);
                CellResult cell = cell("", parameters, repetition, false);
                long requests = condition == 3 && repetition == 1 ? 40_000_000 : 4_000_000 + condition * 10_000;
                cells.add(new CellResult(
                        cell.label(),
                        parameters,
                        repetition,
                        cell.model(),
                        false,
                        4.0,
                        new Counts(requests, 0, 8, 0, 0, 0),
                        Map.of(),
                        cell.times(),
                        List.of(),
                        cell.cpu(),
                        cell.series(),
                        cell.histogram(),
                        "box-bound",
                        List.of()));
            }
        }
        return RunFile.of("Wide", "2026-01-01T00:00:00Z", "loadclient", Map.of(), Map.of(), cells);
    }

    private static RunFile replay(String name) throws Exception {
        Experiment experiment = Experiment.of(name).expanded(false, Map.of());
        Set<CellResult> cells = new LinkedHashSet<>();
        for (int start = 0; start < 3; start++) {
            for (Row row : experiment.rows()) {
                cells.add(cell(row.server(), row.parameters(), start, row.work().equals("files")));
            }
        }
        return new RunFile(
                1,
                experiment.title(),
                "2026-01-01T00:00:00Z",
                "loadclient replay " + name,
                Map.of("cores", "2"),
                Map.of(RunFile.FORM, RunFile.FULL),
                List.copyOf(cells),
                experiment);
    }

    private static void open(String name, String scheme, int width) throws Exception {
        chromium.size(width, 900);
        chromium.colours(scheme);
        chromium.open(folder.resolve(name).resolve("report.html").toUri().toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"sweep", "cowtown", "minar", "mina", "undertow", "bhargava"})
    void everyPictureHasMarksAndNothingOverflows(String name) throws Exception {
        open(name, "light", WIDTH);
        List<String> titles = new ArrayList<>();
        chromium.evaluate(PICTURES).forEach(picture -> {
            titles.add(picture.get(0).asText());
            assertTrue(picture.get(1).asDouble() > WIDTH / 5.0 && picture.get(2).asInt() > 0, picture.toString());
        });
        for (String part : List.of(
                "Throughput",
                "Server CPU",
                "Latency, median",
                "Latency, 99 %",
                "Latency by percentile",
                "Second by second")) {
            assertTrue(titles.stream().anyMatch(title -> title.startsWith(part)), part + " of " + titles);
        }
        assertEquals("[]", chromium.evaluate(OUTSIDE).toString());
        assertEquals("[]", chromium.evaluate(COVERED).toString());
        assertTrue(chromium.evaluate("document.documentElement.scrollWidth <= " + WIDTH)
                .asBoolean());
        assertEquals(List.of(), chromium.complaints());
        assertTrue(
                chromium.requested().stream().allMatch(address -> address.matches("(file|about):.*")),
                chromium.requested().toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"sweep", "wide", "cowtown", "minar", "mina", "undertow", "bhargava"})
    void fitsATelephone(String name) throws Exception {
        open(name, "light", TELEPHONE);
        assertEquals(
                TELEPHONE,
                chromium.evaluate("document.documentElement.scrollWidth").asInt());
        assertEquals("[]", chromium.evaluate(OUTSIDE).toString());
        assertEquals("[]", chromium.evaluate(COVERED).toString());
        double smallest = chromium.evaluate(SMALLEST_TEXT).asDouble();
        assertTrue(smallest >= LEAST_TEXT, "letters of " + smallest + " pixels");
    }

    @ParameterizedTest
    @CsvSource({
        "sweep,light,1280",
        "sweep,dark,1280",
        "sweep,light,390",
        "wide,dark,390",
        "wide,light,1280",
        "mina,light,390",
        "mina,dark,1280",
        "cowtown,light,1280",
        "minar,dark,390",
        "undertow,light,390",
        "bhargava,dark,1280"
    })
    void isAccessible(String name, String scheme, int width) throws Exception {
        open(name, scheme, width);
        try (InputStream script = getClass().getResourceAsStream(System.getProperty("loadclient.axe"))) {
            chromium.evaluate(new String(script.readAllBytes(), StandardCharsets.UTF_8) + "; true");
        }
        assertEquals("", chromium.evaluate(AXE).asText());
    }

    @ParameterizedTest
    @ValueSource(strings = {"sweep", "wide", "undertow"})
    void aNameHasOneColourInAllCharts(String name) throws Exception {
        open(name, "light", WIDTH);
        Map<String, Set<String>> colours = new LinkedHashMap<>();
        texts(LEGENDS)
                .forEach(key -> colours.computeIfAbsent(key.replaceFirst(" rgb.*", ""), unused -> new LinkedHashSet<>())
                        .add(key.replaceFirst(".* rgb", "rgb")));
        assertFalse(colours.isEmpty());
        assertTrue(colours.values().stream().allMatch(some -> some.size() == 1), colours.toString());
    }

    @Test
    void lightAndDarkDiffer() throws Exception {
        String colours = "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color, "
                + "getComputedStyle(document.querySelector('polyline')).stroke]";
        open("sweep", "light", WIDTH);
        List<String> light = texts(colours);
        BufferedImage day = picture();
        open("sweep", "dark", WIDTH);
        List<String> dark = texts(colours);
        BufferedImage night = picture();
        for (int i = 0; i < light.size(); i++) {
            assertNotEquals(light.get(i), dark.get(i));
        }
        assertEquals(WIDTH, day.getWidth());
        assertTrue(brightness(day) > 200, "day " + brightness(day));
        assertTrue(brightness(night) < 80, "night " + brightness(night));
        assertFalse(chromium.evaluate("matchMedia('(prefers-color-scheme: light)').matches")
                .asBoolean());
    }

    private static List<String> texts(String expression) throws Exception {
        List<String> texts = new ArrayList<>();
        chromium.evaluate(expression).forEach(text -> texts.add(text.asText()));
        return texts;
    }

    private static BufferedImage picture() throws Exception {
        return ImageIO.read(new ByteArrayInputStream(chromium.screenshot()));
    }

    /** The mean of all three colours, 0 to 255. */
    private static double brightness(BufferedImage picture) {
        long sum = 0;
        for (int y = 0; y < picture.getHeight(); y++) {
            for (int x = 0; x < picture.getWidth(); x++) {
                int colour = picture.getRGB(x, y);
                sum += (colour >> 16 & 255) + (colour >> 8 & 255) + (colour & 255);
            }
        }
        return sum / 3.0 / picture.getWidth() / picture.getHeight();
    }
}
