package dev.millrace.uuid;

import java.util.Enumeration;
import java.util.Locale;

/** The formats of an answer, the preferred one first, and the choice among them. */
enum AnswerFormat {
    XML("text/xml", "; charset=UTF-8", new XmlWriter()),
    APPLICATION_XML("application/xml", "; charset=UTF-8", XML.writer),
    JSON("application/json", "", new JsonWriter()),
    TEXT("text/plain", "; charset=UTF-8", new TextWriter());

    private final String mediaType;
    private final String contentType;
    private final AnswerWriter writer;

    AnswerFormat(String mediaType, String parameters, AnswerWriter writer) {
        this.mediaType = mediaType;
        this.contentType = mediaType + parameters;
        this.writer = writer;
    }

    /** The value of the Content-Type field. */
    String contentType() {
        return contentType;
    }

    AnswerWriter writer() {
        return writer;
    }

    /**
     * Chooses by the Accept fields of a request (RFC 9110 section 12.5.1): the highest weight wins, then the first
     * constant. What cannot be parsed in a field is passed over.
     *
     * @return the format, or null when the peer takes none of them
     */
    static AnswerFormat negotiate(Enumeration<String> acceptFields) {
        if (!acceptFields.hasMoreElements()) {
            return XML;
        }
        double[] weights = new double[values().length];
        int[] precedences = new int[values().length];
        while (acceptFields.hasMoreElements()) {
            for (String range : acceptFields.nextElement().split(",")) {
                weigh(range, weights, precedences);
            }
        }
        AnswerFormat best = null;
        double bestWeight = 0;
        for (AnswerFormat format : values()) {
            if (weights[format.ordinal()] > bestWeight) {
                best = format;
                bestWeight = weights[format.ordinal()];
            }
        }
        return best;
    }

    /** Lets one media range set the weight of the formats that it matches, unless a more precise one already has. */
    private static void weigh(String range, double[] weights, int[] precedences) {
        String[] parts = range.split(";", -1);
        String type = parts[0].strip().toLowerCase(Locale.ROOT);
        double weight = 1;
        for (int i = 1; i < parts.length; i++) {
            String parameter = parts[i].strip().toLowerCase(Locale.ROOT);
            if (parameter.startsWith("q=")) {
                weight = parseWeight(parameter.substring(2));
            }
        }
        for (AnswerFormat format : values()) {
            int precedence = format.precedence(type);
            if (weight >= 0 && precedence > precedences[format.ordinal()]) {
                precedences[format.ordinal()] = precedence;
                weights[format.ordinal()] = weight;
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
        // RFC 9110 section 12.4.2: 0 to 1 with at most three decimals. Double.parseDouble would take much more.
        if (!text.matches("0(\\.[0-9]{0,3})?|1(\\.0{0,3})?")) {
            return -1;
        }
        return Double.parseDouble(text);
    }
}
