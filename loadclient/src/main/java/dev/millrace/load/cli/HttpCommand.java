package dev.millrace.load.cli;

import static dev.millrace.load.cli.UsageException.require;
import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.millrace.load.http.Request;
import dev.millrace.load.http.Target;
import dev.millrace.load.run.Cell;
import dev.millrace.load.run.Interruption;
import dev.millrace.load.run.RunSettings;
import dev.millrace.load.scenario.Expectations;
import dev.millrace.load.scenario.HttpWorkload;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code loadclient http URL}: any server. */
@Command(
        name = "http",
        mixinStandardHelpOptions = true,
        description = "Measures any HTTP server. URL is sent as it is. A comma list is a sweep: one cell for each "
                + "combination.",
        footer = {
            "",
            "Examples:",
            "  loadclient http -c 1,8,64 -d 10s http://127.0.0.1:8080/hello",
            "  loadclient http -m PUT --body-file order.json --expect-status 201,204 \\",
            "      --content-type application/json http://127.0.0.1:8080/orders/7",
            "  loadclient http --expect-json /status=ok http://127.0.0.1:8080/health",
            "  loadclient http --urls urls.txt -o out \\",
            "      http://127.0.0.1:8080/ http://127.0.0.1:8081/"
        })
final class HttpCommand extends LoadCommand {

    private static final int LONGEST_LABEL = 40;

    @Mixin
    private ExpectOptions expect;

    @Option(
            names = {"-m", "--method"},
            split = ",",
            paramLabel = "METHOD",
            description = "HTTP method, any (default: GET; POST with a body).")
    private @Nullable List<String> methods;

    @Option(names = "--body", paramLabel = "TEXT", description = "The body of each request, in UTF-8.")
    private @Nullable String body;

    @Option(names = "--body-file", paramLabel = "FILE", description = "A file with the body of each request.")
    private @Nullable Path bodyFile;

    @Option(
            names = "--content-type",
            paramLabel = "TYPE",
            description = "The body's media type (default: text/plain of --body, application/octet-stream of "
                    + "--body-file).")
    private @Nullable String contentType;

    @Option(
            names = "--url",
            paramLabel = "'[WEIGHT] [METHOD] URL'",
            description =
                    "Is requested in place of the server's URL, to which it is relative; given several times, the "
                            + "URLs are requested in the proportions of their weights (default: 1).")
    private List<String> urlLines = List.of();

    @Option(names = "--urls", paramLabel = "FILE", description = "A file with a line of that form for each URL.")
    private @Nullable Path urlFile;

    HttpCommand(Interruption interruption) {
        super(interruption);
    }

    @Override
    public Integer call() throws Exception {
        validate();
        validateRequest();
        Expectations expected = expect.expectations();
        List<String> fields = fields();
        byte[] content = content();
        UrlMix mix = mix();
        List<String> verbs = verbs(mix);
        List<Target> targets = load().targets(urls());
        RunSettings settings = load().settings(0, run().limits());
        Map<String, String> facts = facts(settings, expected, mix, content);
        List<Cell> cells = new ArrayList<>();
        for (String verb : verbs) {
            for (boolean keepAlive : load().keepAlive()) {
                List<HttpWorkload> workloads = targets.stream()
                        .map(target -> new HttpWorkload(
                                target,
                                mix.methods(verb),
                                label(mix, target),
                                keepAlive,
                                deck(mix, target, verb, keepAlive, fields, content),
                                expected))
                        .toList();
                cells.addAll(load().cells(run().labels(targets), workloads, 0));
            }
        }
        prepareFolder();
        return measure("HTTP server at " + String.join(", ", urls()), settings, servers(targets), facts, cells);
    }

    private void validateRequest() {
        require(body == null || bodyFile == null, "--body and --body-file exclude each other");
        require(urlLines.isEmpty() || urlFile == null, "--url and --urls exclude each other");
        require(
                contentType == null
                        || (contentType.matches("[^\\r\\n]*")
                                && ISO_8859_1.newEncoder().canEncode(contentType)),
                "--content-type takes a line in characters of ISO 8859-1");
        require(contentType == null || body != null || bodyFile != null, "--content-type takes --body or --body-file");
    }

    /** The methods of the command, for URLs without one. */
    private List<String> verbs(UrlMix mix) {
        require(methods == null || mix.takesMethod(), "--method is for URLs without one, and each has one");
        List<String> verbs = methods != null ? methods : List.of(body == null && bodyFile == null ? "GET" : "POST");
        require(
                verbs.stream().allMatch(verb -> verb.matches("[!#-'*+.^_`|~0-9A-Za-z-]+")),
                "--method takes names such as GET");
        return verbs;
    }

    /** The settings for the report, and those in which runs that are merged must not differ. */
    private Map<String, String> facts(
            RunSettings settings, Expectations expected, UrlMix mix, byte @Nullable [] content) {
        Map<String, String> facts = load().facts(settings);
        facts.put("repetitions", run().describe());
        facts.put("expected status", expected.describeStatuses());
        if (!expected.describeBody().isEmpty()) {
            facts.put("expected body", expected.describeBody());
        }
        if (urlFile != null || !urlLines.isEmpty()) {
            facts.put("URLs", mix.describe());
        }
        if (contentType != null) {
            facts.put("media type", contentType);
        }
        if (content != null) {
            facts.put("request body", InputFile.describe(content));
        }
        return facts;
    }

    private List<Request> deck(
            UrlMix mix, Target target, String verb, boolean keepAlive, List<String> fields, byte @Nullable [] content) {
        List<Request> deck = new ArrayList<>();
        for (UrlMix.Entry entry : mix.entries()) {
            String method = entry.method() == null ? verb : entry.method();
            Request request = new Request(method, entry.on(target), keepAlive, fields, content);
            deck.addAll(Collections.nCopies(entry.weight(), request));
        }
        return deck;
    }

    private String label(UrlMix mix, Target target) {
        if (urlFile != null) {
            return mix.entries().size() + " URLs of " + urlFile.getFileName();
        }
        if (urlLines.isEmpty()) {
            return target.requestTarget();
        }
        String all =
                String.join(",", mix.entries().stream().map(UrlMix.Entry::shown).toList());
        return all.length() <= LONGEST_LABEL ? all : mix.entries().size() + " URLs";
    }

    private UrlMix mix() {
        if (urlFile != null) {
            return UrlMix.of(urlFile.toString(), InputFile.lines("--urls", urlFile));
        }
        return urlLines.isEmpty() ? UrlMix.single() : UrlMix.of("--url", urlLines);
    }

    private byte @Nullable [] content() {
        if (bodyFile == null) {
            return body == null ? null : body.getBytes(StandardCharsets.UTF_8);
        }
        return InputFile.bytes(bodyFile);
    }

    /** The request fields, with the media type of a body. */
    private List<String> fields() {
        List<String> fields = new ArrayList<>(load().headers());
        boolean named =
                fields.stream().anyMatch(field -> field.toLowerCase(Locale.ROOT).startsWith("content-type:"));
        require(!named || contentType == null, "Content-Type twice: by --header and by --content-type");
        if (!named && contentType != null) {
            fields.add("Content-Type: " + contentType);
        } else if (!named && body != null) {
            fields.add("Content-Type: text/plain; charset=UTF-8");
        } else if (!named && bodyFile != null) {
            fields.add("Content-Type: application/octet-stream");
        }
        return fields;
    }
}
