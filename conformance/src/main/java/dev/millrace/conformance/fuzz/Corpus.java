package dev.millrace.conformance.fuzz;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Inputs by name: the malformed requests of the connectors' tests, and what the fuzzer has found. Stateless. */
final class Corpus {
    private static final List<String> MALFORMED =
            List.of("request-line.txt", "headers.txt", "framing.txt", "truncated.txt");

    private Corpus() {}

    /** The requests of MalformedRequestsTest. */
    static Map<String, Input> malformed() throws IOException {
        Map<String, Input> inputs = new LinkedHashMap<>();
        for (String name : MALFORMED) {
            inputs.putAll(resource("/malformed/" + name));
        }
        return inputs;
    }

    /** Inputs that once showed a difference. */
    static Map<String, Input> found() throws IOException {
        return resource("/found.txt");
    }

    private static Map<String, Input> resource(String name) throws IOException {
        try (InputStream in = Corpus.class.getResourceAsStream(name)) {
            return parse(new String(in.readAllBytes(), StandardCharsets.US_ASCII).lines());
        }
    }

    /** Reads inputs from a file. */
    static Map<String, Input> read(Path file) throws IOException {
        try (Stream<String> lines = Files.lines(file, StandardCharsets.US_ASCII)) {
            return parse(lines);
        }
    }

    // A name, a tab, the input; lines that begin with # are remarks.
    private static Map<String, Input> parse(Stream<String> lines) {
        Map<String, Input> inputs = new LinkedHashMap<>();
        lines.filter(line -> !line.isEmpty() && !line.startsWith("#")).forEach(line -> {
            int tab = line.indexOf('\t');
            inputs.put(line.substring(0, tab), InputText.parse(line.substring(tab + 1)));
        });
        return inputs;
    }
}
