package dev.millrace.load.cli;

import static dev.millrace.load.cli.UsageException.require;

import dev.millrace.load.http.Target;
import dev.millrace.load.run.Cell;
import dev.millrace.load.run.Interruption;
import dev.millrace.load.run.RunSettings;
import dev.millrace.load.scenario.UuidWorkload;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code loadclient uuid URL}: the UUID web service. */
@Command(
        name = "uuid",
        mixinStandardHelpOptions = true,
        description = "Measures the UUID service at URL. A comma list is a sweep: one cell for each combination.",
        footer = {
            "",
            "Examples:",
            "  loadclient uuid -c 1,2,4,8 -m GET,POST --keepalive on,off -o out \\",
            "      http://127.0.0.1:8080/generate-uuid",
            "  loadclient uuid -R 2000 -c 50 --repeat 5 --order abba --label BIO,NIO -o out \\",
            "      http://127.0.0.1:8080/generate-uuid \\",
            "      http://127.0.0.1:8081/generate-uuid"
        })
final class UuidCommand extends LoadCommand {

    @Option(
            names = {"-m", "--method"},
            split = ",",
            defaultValue = "GET",
            paramLabel = "GET|POST",
            description = "HTTP method (default: ${DEFAULT-VALUE}).")
    private List<String> methods;

    @Option(
            names = "--count",
            split = ",",
            defaultValue = "1",
            paramLabel = "N",
            description = "UUIDs per request (default: ${DEFAULT-VALUE}).")
    private List<Integer> counts;

    @Option(
            names = "--uuid-method",
            split = ",",
            defaultValue = "RANDOM",
            paramLabel = "METHOD",
            description = "How UUIDs are made: RANDOM, TIME, NAME or what else the service knows "
                    + "(default: ${DEFAULT-VALUE}).")
    private List<String> uuidMethods;

    @Option(names = "--name", paramLabel = "TEXT", description = "The name for name-based UUIDs.")
    private @Nullable String name;

    @Option(
            names = "--body-file",
            paramLabel = "FILE",
            description = "The body of POST requests, in place of XML with --count and --uuid-method; --count still "
                    + "says how many UUIDs must be answered.")
    private @Nullable Path bodyFile;

    @Option(
            names = "--verify",
            defaultValue = "full",
            paramLabel = "none|full",
            description = "full: status, media type, root element, number and form of UUIDs, that none is nil or comes "
                    + "twice, and their version; none: status alone, so that URL may be any "
                    + "(default: ${DEFAULT-VALUE}).")
    private UuidWorkload.Check verify;

    UuidCommand(Interruption interruption) {
        super(interruption);
    }

    @Override
    public Integer call() throws Exception {
        validate();
        require(
                methods.stream().allMatch(method -> method.equals("GET") || method.equals("POST")),
                "--method takes GET or POST");
        require(counts.stream().allMatch(count -> count > 0), "--count must be above 0");
        require(
                uuidMethods.stream().allMatch(method -> method.matches("\\w+")),
                "--uuid-method takes names such as RANDOM");
        require(bodyFile == null || methods.stream().allMatch("POST"::equals), "--body-file takes --method=POST");
        require(
                bodyFile == null || (!given("--uuid-method") && !given("--name")),
                "--body-file excludes --uuid-method and --name: the body says how UUIDs are made");
        byte[] body = bodyFile == null ? null : InputFile.bytes(bodyFile);
        List<Target> targets = load().targets(urls());
        RunSettings settings = load().settings(0, run().limits());
        Map<String, String> facts = load().facts(settings);
        facts.put("repetitions", run().describe());
        facts.put("verified", verify.name().toLowerCase(Locale.ROOT));
        if (name != null) {
            facts.put("name", name);
        }
        if (body != null) {
            facts.put("request body", InputFile.describe(body));
        }
        List<Cell> cells = cells(targets, run().labels(targets), body);
        prepareFolder();
        return measure("UUID service at " + String.join(", ", urls()), settings, servers(targets), facts, cells);
    }

    private List<Cell> cells(List<Target> targets, List<String> labels, byte @Nullable [] body) {
        return settings(body).stream()
                .map(one -> targets.stream()
                        .map(target -> new UuidWorkload(target, one))
                        .toList())
                .flatMap(workloads -> load().cells(labels, workloads, 0).stream())
                .toList();
    }

    private List<UuidWorkload.Settings> settings(byte @Nullable [] body) {
        List<UuidWorkload.Settings> all = new ArrayList<>();
        for (String uuidMethod : uuidMethods) {
            for (int count : counts) {
                for (String method : methods) {
                    for (boolean keepAlive : load().keepAlive()) {
                        all.add(new UuidWorkload.Settings(
                                method,
                                keepAlive,
                                uuidMethod,
                                count,
                                name(uuidMethod),
                                load().headers(),
                                verify,
                                body));
                    }
                }
            }
        }
        return all;
    }

    private @Nullable String name(String uuidMethod) {
        return name == null && uuidMethod.toUpperCase(Locale.ROOT).equals("NAME") ? "millrace" : name;
    }
}
