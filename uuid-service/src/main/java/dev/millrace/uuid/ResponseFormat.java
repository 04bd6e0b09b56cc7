package dev.millrace.uuid;

import java.util.EnumMap;
import java.util.Enumeration;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The formats of a response in order of preference, and the choice among them. */
enum ResponseFormat {
    XML("text/xml", "; charset=UTF-8", new XmlWriter()),
    APPLICATION_XML("application/xml", "; charset=UTF-8", XML.writer),
    JSON("application/json", "", new JsonWriter()),
    TEXT("text/plain", "; charset=UTF-8", new TextWriter());

    private final String mediaType;
    private final String contentType;
    private final ResponseWriter writer;

    /** The most precise media range that matches a format, and its weight. */
    private record MediaRange(int precedence, double weight) {}

    ResponseFormat(String mediaType, String parameters, ResponseWriter writer) {
        this.mediaType = mediaType;
        this.contentType = mediaType + parameters;
        this.writer = writer;
    }

    /** The value of the Content-Type field. */
    String contentType() {
        return contentType;
    }

    ResponseWriter writer() {
        return writer;
    }

    /**
     * Chooses by the Accept fields of a request (RFC 9110 section 12.5.1). The highest weight wins, and among equal
     * weights the preferred format, then the first constant. Media ranges that cannot be parsed are ignored.
     *
     * @param preferred also the format of a client that sends no Accept field
     * @return the format, or null when the client accepts none of them
     */
    static @Nullable ResponseFormat negotiate(Enumeration<String> acceptFields, ResponseFormat preferred) {
        if (!acceptFields.hasMoreElements()) {
            return preferred;
        }
        Map<ResponseFormat, MediaRange> ranges = new EnumMap<>(ResponseFormat.class);
        while (acceptFields.hasMoreElements()) {
            for (String range : acceptFields.nextElement().split(",")) {
                weigh(range, ranges);
            }
        }
        ResponseFormat best = null;
        double bestWeight = 0;
        for (Map.Entry<ResponseFormat, MediaRange> range : ranges.entrySet()) {
            double weight = range.getValue().weight;
            if (weight > bestWeight || (weight == bestWeight && weight > 0 && range.getKey() == preferred)) {
                best = range.getKey();
                bestWeight = weight;
            }
        }
        return best;
    }

    /** Sets the weight of the formats that a media range matches, unless a more precise range has set it. */
    private static void weigh(String range, Map<ResponseFormat, MediaRange> ranges) {
        String[] parts = range.split(";", -1);
        String type = parts[0].strip().toLowerCase(Locale.ROOT);
        double weight = 1;
        for (int i = 1; i < parts.length; i++) {
            String parameter = parts[i].strip().toLowerCase(Locale.ROOT);
            if (parameter.startsWith("q=")) {
                weight = parseWeight(parameter.substring(2));
            }
        }
        for (ResponseFormat format : values()) {
            int precedence = format.precedence(type);
            MediaRange before = ranges.get(format);
            if (weight >= 0 && precedence > (before == null ? 0 : before.precedence)) {
                ranges.put(format, new MediaRange(precedence, weight));
            }
        }
    }

    private int precedence(String range) {
        if (range.equals(mediaType)) {
            return 3;
        }
        if (range.equals(mediaType.substring(0, mediaType.indexOf('/')) + "/*")) {
            return 2;
        }
        return range.equals("*/*") ? 1 : 0;
    }

    private static double parseWeight(String text) {
        // RFC 9110 section 12.4.2: 0 to 1 with at most three decimals. Double.parseDouble accepts more.
        if (!text.matches("0(\\.[0-9]{0,3})?|1(\\.0{0,3})?")) {
            return -1;
        }
        return Double.parseDouble(text);
    }
}
