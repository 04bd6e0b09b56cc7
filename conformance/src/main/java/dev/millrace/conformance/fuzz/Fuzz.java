package dev.millrace.conformance.fuzz;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.util.VirtualThreads;
import picocli.CommandLine;

/** The fuzzer's command line. It prints each fault, keeps it in a file, and exits with 1 when there was one. */
@CommandLine.Command(
        name = "fuzz",
        mixinStandardHelpOptions = true,
        description =
                "Sends the same drawn bytes to Jetty's own connector and to Millrace's, and compares the answers.")
public final class Fuzz implements Callable<Integer> {
    private static final int RUNS = 4;
    private static final int RACES = 12;
    private static final int AGAIN = 50;
    private static final long MINIMIZE_NANOS = TimeUnit.SECONDS.toNanos(8);

    @CommandLine.Option(names = "--seconds", defaultValue = "60", description = "How long (default: ${DEFAULT-VALUE}).")
    private long seconds;

    @CommandLine.Option(
            names = "--count",
            defaultValue = "-1",
            description = "How many inputs at most; -1 is any number.")
    private long count;

    @CommandLine.Option(
            names = "--seed",
            description = "Of the first input; each other has one more. Drawn if not given.")
    private Long seed;

    @CommandLine.Option(names = "--faults", defaultValue = "20", description = "How many faults end the run.")
    private int mostFaults;

    @CommandLine.Option(
            names = "--found",
            defaultValue = "target/found.txt",
            description = "File to which inputs that failed are added (default: ${DEFAULT-VALUE}).")
    private Path found;

    @CommandLine.Option(names = "--replay", description = "Runs the inputs of this file rather than drawn ones.")
    private Path replay;

    private final PrintStream out = System.out;
    private final Map<String, Integer> signatures = new HashMap<>();
    private int faults;

    public static void main(String[] args) {
        System.exit(new CommandLine(new Fuzz()).execute(args));
    }

    @Override
    public Integer call() throws Exception {
        long first = seed == null ? new Random().nextInt(Integer.MAX_VALUE) * 1_000_000_000L : seed;
        out.println("fuzz: first seed " + first + ", JDK " + Runtime.version().feature());
        Generator generator = Generator.ofCorpus();
        long begin = System.nanoTime();
        long end = begin + TimeUnit.SECONDS.toNanos(seconds);
        try (Servers servers = new Servers(kinds());
                Client client = new Client()) {
            Judge judge = new Judge(client, servers.control());
            Trials trials = new Trials(servers, client, judge, (name, fault) -> keep(judge, name, fault));
            long[] next = {first};
            if (replay != null) {
                var inputs = Corpus.read(replay).entrySet().iterator();
                trials.run(() -> inputs.hasNext() ? named(inputs.next()) : null);
            } else {
                trials.run(() -> faults >= mostFaults || next[0] - first == count || System.nanoTime() - end > 0
                        ? null
                        : new Trials.Named("seed " + next[0], generator.input(next[0]++)));
            }
            report(trials, judge, begin);
        }
        return faults == 0 ? 0 : 1;
    }

    private Trials.Named named(Map.Entry<String, Input> entry) {
        return new Trials.Named(entry.getKey(), entry.getValue());
    }

    static List<Tested.Kind> kinds() {
        List<Tested.Kind> kinds = new ArrayList<>(List.of(Tested.Kind.NIO, Tested.Kind.BIO));
        if (VirtualThreads.areSupported()) {
            kinds.add(Tested.Kind.BIO_VIRTUAL);
        }
        return kinds;
    }

    private void keep(Judge judge, String name, Judge.Fault fault) {
        faults++;
        Tested tested = fault.tested();
        String kept = name.replace(' ', '-') + "-" + tested.name();
        out.println("FAULT " + name + " on " + tested.name());
        print(kept, fault);
        int seen = signatures.merge(fault.signature(), 1, Integer::sum);
        if (seen > 1) {
            out.println("  as " + (seen - 1) + " before: " + fault.signature());
            return;
        }
        int again = countAgain(judge, fault);
        if (again == 0) {
            return;
        }
        // Most faults show at each run. A race of threads needs more runs.
        int runs = again > AGAIN / 2 ? 1 : RUNS;
        long end = System.nanoTime() + MINIMIZE_NANOS;
        Input smallest = new Minimizer(
                        input -> System.nanoTime() - end < 0 && judge.search(input, tested, runs) != null)
                .minimize(fault.input());
        Judge.Fault shown = smallest.equals(fault.input()) ? null : judge.search(smallest, tested, RUNS * 4);
        if (shown != null) {
            out.println("  made smaller:");
            print(kept + "-smaller", shown);
        }
    }

    private int countAgain(Judge judge, Judge.Fault fault) {
        int runs = 0;
        int again = 0;
        for (long end = System.nanoTime() + MINIMIZE_NANOS; runs < AGAIN && System.nanoTime() - end < 0; runs++) {
            again += judge.search(fault.input(), fault.tested(), 1) == null ? 0 : 1;
        }
        out.println("  again   " + again + " of " + runs + " times");
        return again;
    }

    // What was seen is written to the file too, because a race may never show again.
    private void print(String name, Judge.Fault fault) {
        String ours = fault.tested().name() + "  " + fault.ours();
        String controls = "control " + fault.controls();
        String input = InputText.format(fault.input());
        out.println("  input   " + input);
        out.println("  " + ours);
        out.println("  " + controls);
        try {
            Files.createDirectories(found.toAbsolutePath().getParent());
            Files.writeString(
                    found,
                    "# " + ours + "\n# " + controls + "\n" + name + "\t" + input + "\n",
                    StandardCharsets.US_ASCII,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        } catch (IOException x) {
            out.println("  not kept: " + x);
        }
    }

    private void report(Trials trials, Judge judge, long begin) {
        double took = (System.nanoTime() - begin) / 1e9;
        out.printf(
                "fuzz: %d inputs in %.1f s (%.0f/s), %d bytes sent, %d read; %d raced, known %s; %d faults%n",
                trials.inputs(),
                took,
                trials.inputs() / took,
                trials.bytesSent(),
                trials.bytesRead(),
                judge.raced().values().stream().mapToLong(Long::longValue).sum(),
                judge.known(),
                faults);
        judge.raced().entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
                .limit(RACES)
                .forEach(race -> out.println("  raced " + race.getValue() + " times: " + race.getKey()));
    }
}
