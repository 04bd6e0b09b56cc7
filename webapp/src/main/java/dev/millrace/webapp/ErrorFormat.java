package dev.millrace.webapp;

import java.util.Collections;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The formats of an error in order of preference, and the choice among them. */
enum ErrorFormat {
    HTML("text/html;charset=utf-8", "text/html") {
        @Override
        String write(Problem problem, String contextPath) {
            String context = escape(contextPath);
            String title = problem.status() + " " + problem.title();
            String detail = problem.detail().isEmpty() ? "" : "<p>" + escape(problem.detail()) + "</p>\n  ";
            return String.format("""
                <!doctype html>
                <html lang="en">
                <head>
                  <meta charset="utf-8">
                  <title>%1$s – Millrace</title>
                  <meta name="viewport" content="width=device-width, initial-scale=1">
                  <meta name="color-scheme" content="light dark">
                  <link rel="icon" href="data:,">
                  <link rel="stylesheet" href="%3$s/page.css">
                </head>
                <body>
                <header>
                  <h1>%1$s</h1>
                </header>
                <main>
                  %2$s<p><a href="%3$s/">The page of this server</a></p>
                </main>
                </body>
                </html>
                """, title, detail, context);
        }
    },
    JSON("application/problem+json", "application/problem+json", "application/json") {
        @Override
        String write(Problem problem, String contextPath) {
            return Json.of(problem.members());
        }
    },
    XML("application/problem+xml;charset=utf-8", "application/problem+xml", "application/xml", "text/xml") {
        @Override
        String write(Problem problem, String contextPath) {
            StringBuilder xml = new StringBuilder("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
            xml.append("<problem xmlns=\"urn:ietf:rfc:7807\">");
            problem.members()
                    .forEach((name, value) -> xml.append('<')
                            .append(name)
                            .append('>')
                            .append(escape(value.toString()))
                            .append("</")
                            .append(name)
                            .append('>'));
            return xml.append("</problem>\n").toString();
        }
    },
    TEXT("text/plain;charset=utf-8", "text/plain") {
        @Override
        String write(Problem problem, String contextPath) {
            return problem.status() + " " + problem.title() + "\n"
                    + (problem.detail().isEmpty() ? "" : problem.detail() + "\n");
        }
    };

    private final String contentType;
    /** The media types by which a client asks for this format. A client that takes XML takes problems in XML. */
    private final List<String> mediaTypes;

    ErrorFormat(String contentType, String... mediaTypes) {
        this.contentType = contentType;
        this.mediaTypes = List.of(mediaTypes);
    }

    /** The value of the Content-Type field. */
    String contentType() {
        return contentType;
    }

    /**
     * The problem in this format.
     *
     * @param contextPath of the application, whose style a page has; empty for the root
     */
    abstract String write(Problem problem, String contextPath);

    /**
     * Chooses by the Accept fields of a request (RFC 9110 section 12.5.1). The highest weight wins, and among equal
     * weights the first constant. A client that takes none of them gets a page: section 15.5 wants the error explained.
     */
    static ErrorFormat negotiate(Enumeration<String> acceptFields) {
        Map<String, Double> weights = new HashMap<>();
        for (String field : Collections.list(acceptFields)) {
            for (String range : field.toLowerCase(Locale.ROOT).split(",")) {
                weigh(range.split(";"), weights);
            }
        }
        ErrorFormat best = HTML;
        double bestWeight = 0;
        for (ErrorFormat format : values()) {
            double weight = format.mediaTypes.stream()
                    .mapToDouble(type -> weight(type, weights))
                    .max()
                    .orElse(0);
            if (weight > bestWeight) {
                best = format;
                bestWeight = weight;
            }
        }
        return best;
    }

    private static void weigh(String[] range, Map<String, Double> weights) {
        double weight = 1;
        for (int i = 1; i < range.length; i++) {
            String parameter = range[i].strip();
            if (parameter.startsWith("q=")) {
                // Section 12.4.2: 0 to 1, with at most three decimals. Another value counts as 0.
                String value = parameter.substring(2);
                weight = value.matches("0(\\.[0-9]{0,3})?|1(\\.0{0,3})?") ? Double.parseDouble(value) : 0;
            }
        }
        if (range.length > 0) {
            weights.putIfAbsent(range[0].strip(), weight);
        }
    }

    /** The weight by the most precise range. */
    private static double weight(String type, Map<String, Double> weights) {
        String kind = type.substring(0, type.indexOf('/')) + "/*";
        Double weight = weights.getOrDefault(type, weights.getOrDefault(kind, weights.get("*/*")));
        return weight == null ? 0 : weight;
    }

    /** Text for an element or an attribute of HTML and XML, without control characters, which XML does not have. */
    private static String escape(String text) {
        return text.replaceAll("\\p{Cntrl}", "?")
                .replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
