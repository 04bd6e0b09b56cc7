package dev.millrace.load.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.awt.Color;
import java.awt.color.ColorSpace;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

/** Scales, numbers and colours of the report's pictures. */
class ChartTest {

    @Test
    void axisNumbersAreShort() {
        assertEquals(
                List.of("0", "0.0005", "0.2", "5", "2,500", "20k", "150k", "1.5M", "10M", "2G"),
                DoubleStream.of(0, 0.0005, 0.2, 5, 2500, 20_000, 150_000, 1_500_000, 1e7, 2e9)
                        .mapToObj(FigureFormat::tick)
                        .toList());
        assertEquals("0.0021", FigureFormat.number(0.00212));
        assertEquals("-", FigureFormat.number(Double.POSITIVE_INFINITY));
    }

    @Test
    void aWideIntervalDoesNotFlattenTheValues() {
        Chart chart = new Chart("x", "y", new SeriesColours());
        chart.add("", "1", Interval.of(List.of(100.0, 110.0)));
        chart.add("", "2", Interval.of(List.of(10.0, 190.0)));
        List<String> ticks = chart.lines()
                .lines()
                .filter(line -> line.contains("\"end\""))
                .map(line -> line.replaceAll("<[^>]*>", ""))
                .toList();
        assertEquals(List.of("0", "50", "100", "150", "200"), ticks, "the second interval ends at 1,244");
    }

    /** Colours of the style sheet in both schemes, by their distance in CIE 1976 L*a*b*. */
    @Test
    void coloursCanBeToldApart() throws IOException {
        String css =
                new String(HtmlReport.class.getResourceAsStream("report.css").readAllBytes(), StandardCharsets.UTF_8);
        List<double[]> colours = Pattern.compile("--c\\d: #(\\w{6})")
                .matcher(css)
                .results()
                .map(match -> lab(Integer.parseInt(match.group(1), 16)))
                .toList();
        assertEquals(2 * SeriesColours.COUNT, colours.size());
        for (int i = 0; i < colours.size(); i++) {
            int scheme = i / SeriesColours.COUNT;
            for (int j = i + 1; j < (scheme + 1) * SeriesColours.COUNT; j++) {
                double distance = distance(colours.get(i), colours.get(j));
                assertTrue(distance > 30, "colours " + i + " and " + j + ": " + distance);
            }
        }
    }

    private static double distance(double[] one, double[] other) {
        return Math.sqrt(
                Math.pow(one[0] - other[0], 2) + Math.pow(one[1] - other[1], 2) + Math.pow(one[2] - other[2], 2));
    }

    private static double[] lab(int rgb) {
        Color colour = new Color(rgb);
        float[] xyz = colour.getColorComponents(ColorSpace.getInstance(ColorSpace.CS_CIEXYZ), null);
        double x = curve(xyz[0] / 0.9642);
        double y = curve(xyz[1]);
        double z = curve(xyz[2] / 0.8249);
        return new double[] {116 * y - 16, 500 * (x - y), 200 * (y - z)};
    }

    private static double curve(double value) {
        return value > 0.008856 ? Math.cbrt(value) : 7.787 * value + 16 / 116.0;
    }
}
