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
import java.nio.ByteBuffer;
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
import org.junit.jupiter.params.provider.ValueSource;

/** The report in a real browser. The test is skipped with a message where Chromium is not installed. */
class ReportInChromiumTest {

    private static final int WIDTH = 1200;
    /** Elements outside the window, and text outside its picture. */
    private static final String OUTSIDE = """
            [...document.body.querySelectorAll('*')].filter(one => one.closest('.wide') === null || one.matches('.wide'))
                .filter(one => one.getBoundingClientRect().right > innerWidth + 1)
                .concat([...document.querySelectorAll('svg text')].filter(text => {
                    const place = text.getBoundingClientRect(), picture = text.closest('svg').getBoundingClientRect();
                    return place.left < picture.left - 1 || place.right > picture.right + 1;
                })).map(one => one.outerHTML.slice(0, 150))""";
    /** Tables of published and present figures that must be scrolled. */
    private static final String SCROLLED = """
            [...document.querySelectorAll('.fit')].filter(table => table.scrollWidth > table.clientWidth)
                .map(table => table.textContent.slice(0, 150))""";
    /** The title of each picture, its width on the screen, and the number of its visible marks. */
    private static final String PICTURES = """
            [...document.querySelectorAll('figure')].map(figure => [figure.querySelector('figcaption').textContent,
                figure.querySelector('svg').getBoundingClientRect().width,
                [...figure.querySelectorAll('polyline, circle, rect')].filter(mark => {
                    const place = mark.getBoundingClientRect();
                    return place.width > 0 && place.height > 0;
                }).length])""";
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
        for (String name : Experiment.NAMES) {
            ReportFolder.write(replay(name), folder.resolve(name), EnumSet.of(OutputFormat.HTML));
        }
        chromium = Chromium.start(program.get(), profile);
        chromium.size(WIDTH, 900);
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
        Percentiles times = new Percentiles(2000, 900, 100, 800 + seed, 1000, 2000, 9000);
        List<SizeResult> sizes = bytes
                ? List.of(new SizeResult(1024, 10, times, 1, 0.5, 1), new SizeResult(5_242_880, 10, times, 90, 50, 88))
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
                new CpuUse(2.5, 1.5, 0.1, 3.5, 0.1, 0.2, 40L, 200_000_000L, false),
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

    private static void open(String name, String scheme) throws Exception {
        chromium.colours(scheme);
        chromium.open(folder.resolve(name).resolve("report.html").toUri().toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"sweep", "cowtown", "minar", "mina", "undertow", "bhargava"})
    void everyPictureHasMarksAndNothingOverflows(String name) throws Exception {
        open(name, "light");
        List<String> titles = new ArrayList<>();
        chromium.evaluate(PICTURES).forEach(picture -> {
            titles.add(picture.get(0).asText());
            assertTrue(picture.get(1).asDouble() > WIDTH / 4.0 && picture.get(2).asInt() > 0, picture.toString());
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
        assertEquals("[]", chromium.evaluate(SCROLLED).toString());
        assertEquals(List.of(), chromium.complaints());
        assertTrue(
                chromium.requested().stream().allMatch(address -> address.matches("(file|about):.*")),
                chromium.requested().toString());
    }

    @Test
    void lightAndDarkDiffer() throws Exception {
        String colours = "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color, "
                + "getComputedStyle(document.querySelector('polyline')).stroke]";
        open("sweep", "light");
        List<String> light = texts(colours);
        BufferedImage day = picture();
        open("sweep", "dark");
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
