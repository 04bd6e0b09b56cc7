package dev.millrace.load.report;

import java.util.Locale;
import java.util.regex.Pattern;

/** Builds one SVG picture, which is well-formed XML. Confined to one thread. */
final class Svg {

    /** What XML 1.0 section 2.2 does not allow. A page quotes what servers have sent. */
    private static final Pattern NO_XML =
            Pattern.compile("[^\\t\\n\\r\\x20-\\uD7FF\\uE000-\\uFFFD\\x{10000}-\\x{10FFFF}]");

    private final StringBuilder out = new StringBuilder();

    Svg(int width, int height, String description) {
        out.append(String.format(
                Locale.ROOT,
                "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">%n",
                width,
                height,
                escape(description)));
    }

    Svg line(double x1, double y1, double x2, double y2, String style) {
        return add("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"%s\"/>", x1, y1, x2, y2, style);
    }

    Svg text(double x, double y, String anchor, String text) {
        return add("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>", x, y, anchor, escape(text));
    }

    Svg polyline(String points, String style) {
        return add("<polyline points=\"%s\" class=\"%s\"/>", points, style);
    }

    Svg dot(double x, double y, String style, String tip) {
        return add(
                "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" class=\"%s\"><title>%s</title></circle>",
                x, y, style, escape(tip));
    }

    Svg bar(double x, double y, double width, double height, String style, String tip) {
        return add(
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" class=\"%s\"><title>%s</title></rect>",
                x, y, width, height, style, escape(tip));
    }

    String done() {
        return out.append("</svg>\n").toString();
    }

    static String point(double x, double y) {
        return String.format(Locale.ROOT, "%.1f,%.1f ", x, y);
    }

    static String escape(String text) {
        return NO_XML.matcher(text)
                .replaceAll("?")
                .replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }

    private Svg add(String format, Object... values) {
        out.append(String.format(Locale.ROOT, format, values)).append('\n');
        return this;
    }
}
