package dev.millrace.load;

import dev.millrace.load.http.Target;
import dev.millrace.load.run.Cell;
import dev.millrace.load.scenario.UuidWorkload;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code loadclient uuid URL}: the UUID web service. */
@Command(name = "uuid", mixinStandardHelpOptions = true,
        description = "Measures the UUID service at URL. A comma list is a sweep: one cell for each combination.",
        footer = {"", "Example:",
            "  loadclient uuid -c 1,2,4,8 -m GET,POST --keepalive on,off -d 5s -o out http://127.0.0.1:8080/generate-uuid"})
final class UuidCommand implements Callable<Integer> {

    private final Interruption interruption;

    @Mixin
    private MeasureOptions options;

    @Option(names = {"-m", "--method"}, split = ",", defaultValue = "GET", paramLabel = "GET|POST",
            description = "HTTP method (default: ${DEFAULT-VALUE}).")
    private List<String> methods;

    @Option(names = "--count", split = ",", defaultValue = "1", paramLabel = "N",
            description = "UUIDs per request (default: ${DEFAULT-VALUE}).")
    private List<Integer> counts;

    @Option(names = "--uuid-method", split = ",", defaultValue = "RANDOM", paramLabel = "METHOD",
            description = "How UUIDs are made: RANDOM, TIME, NAME or what else the service knows "
                    + "(default: ${DEFAULT-VALUE}).")
    private List<String> uuidMethods;

    @Option(names = "--name", paramLabel = "TEXT", description = "The name for name-based UUIDs.")
    private String name;

    @Parameters(paramLabel = "URL", description = "The service, such as http://127.0.0.1:8080/generate-uuid.")
    private String url;

    UuidCommand(Interruption interruption) {
        this.interruption = interruption;
    }

    @Override
    public Integer call() throws Exception {
        options.validate();
        options.require(methods.stream().allMatch(method -> method.equals("GET") || method.equals("POST")),
                "--method takes GET or POST");
        options.require(counts.stream().allMatch(count -> count > 0), "--count must be above 0");
        options.require(uuidMethods.stream().allMatch(method -> method.matches("\\w+")),
                "--uuid-method takes names such as RANDOM");
        Target target = options.target(url);
        Plan plan = new Plan("UUID service at " + url, cells(target), options.settings(), options.server(target),
                options.output(), options.plan());
        return new Session(interruption, options.line()).run(plan);
    }

    private List<Cell> cells(Target target) {
        List<Cell> cells = new ArrayList<>();
        for (String uuidMethod : uuidMethods) {
            for (int count : counts) {
                for (String method : methods) {
                    for (boolean keepAlive : options.keepAlive()) {
                        UuidWorkload workload = new UuidWorkload(target, new UuidWorkload.Settings(method, keepAlive,
                                uuidMethod, count, name(uuidMethod), options.headers()));
                        options.clients().forEach(clients -> cells.add(new Cell(clients, workload)));
                    }
                }
            }
        }
        return cells;
    }

    private String name(String uuidMethod) {
        return name == null && uuidMethod.toUpperCase(Locale.ROOT).equals("NAME") ? "millrace" : name;
    }
}
