package dev.millrace.load;

import dev.millrace.load.http.Target;
import dev.millrace.load.run.Cell;
import dev.millrace.load.run.CellRun;
import dev.millrace.load.run.RunSettings;
import dev.millrace.load.scenario.Catalog;
import dev.millrace.load.scenario.CatalogFile;
import dev.millrace.load.scenario.CatalogSource;
import dev.millrace.load.scenario.DownloadWorkload;
import dev.millrace.load.scenario.RangeWorkload;
import dev.millrace.load.scenario.ResumeWorkload;
import dev.millrace.load.scenario.Truth;
import dev.millrace.load.scenario.Verify;
import dev.millrace.load.scenario.Workload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/** {@code loadclient download URL}: files that a catalogue lists. */
@Command(name = "download", mixinStandardHelpOptions = true,
        description = "Measures downloads of the files below URL. A comma list is a sweep: one cell for each "
                + "combination.",
        footer = {"", "Examples:",
            "  loadclient download -c 50,100,200 -d 30s --limit-rate none,1M -o out \\",
            "      http://127.0.0.1:8080/files/",
            "  loadclient download --mix 1k:40,1m:10,100m:1 http://127.0.0.1:8080/files/",
            "  loadclient download --range=64k -c 50 http://127.0.0.1:8080/files/",
            "  loadclient download --file each --catalog files.json \\",
            "      http://127.0.0.1:8080/files/"})
final class DownloadCommand implements Callable<Integer> {

    private static final String UNLIMITED = "none";
    private static final long MOST_QUANTUM_BYTES = 16L << 20;

    private final Interruption interruption;
    private final Map<Target, Truth> truths = new HashMap<>();

    @Mixin
    private LoadOptions load;

    @Mixin
    private RigourOptions rigour;

    @Option(names = "--catalog", defaultValue = "catalog.json", paramLabel = "FILE|URL",
            description = "Names, sizes and MD5 of the files: a local file, or a URL, relative to the server's "
                    + "(default: ${DEFAULT-VALUE}).")
    private String catalog;

    @Option(names = "--file", split = ",", paramLabel = "NAME",
            description = "A cell for each of these files; 'each': for each file of the catalogue "
                    + "(default: one cell with all files, equally often).")
    private List<String> files;

    @Option(names = "--mix", paramLabel = "SIZE:WEIGHT,...",
            description = "One cell with files of these sizes in these proportions.")
    private String mix;

    @Option(names = "--limit-rate", split = ",", defaultValue = UNLIMITED, paramLabel = "none|SIZE",
            description = "Bytes per second of each client; K and M are powers of 1024 (default: ${DEFAULT-VALUE}).")
    private List<String> limits;

    @Option(names = "--quantum", paramLabel = "SIZE",
            description = "Bytes that a client under --limit-rate reads at once, then waits until they are due (default: "
                    + "a sixteenth of what it may read in a second, 512 to 64k).")
    private Units.ByteSize quantum;

    @Option(names = "--range", paramLabel = "any|SIZE",
            description = "Downloads random ranges, of any length or of at most so many bytes; each byte is compared "
                    + "with the whole file, which is downloaded once before.")
    private String range;

    @Option(names = "--resume", description = "Breaks each download off at a random place and goes on with Range and "
            + "If-Range on a new connection; the whole body is checked.")
    private boolean resume;

    @Option(names = "--verify", defaultValue = "auto", paramLabel = "none|length|crc|md5|auto",
            description = "Check of bodies; auto: CRC32C of all, MD5 of the first of each file, and of all others when "
                    + "throttled, of one in 20 when not (default: ${DEFAULT-VALUE}).")
    private Verify verify;

    @Option(names = "--verify-sample", defaultValue = "20", paramLabel = "N",
            description = "Under --verify=auto MD5 of one in so many (default: ${DEFAULT-VALUE}).")
    private int sample;

    @Parameters(arity = "1..*", paramLabel = "URL",
            description = "What the files' names are below, as in the examples; with several, each "
                    + "cell is measured on one after the other.")
    private List<String> urls;

    DownloadCommand(Interruption interruption) {
        this.interruption = interruption;
    }

    @Override
    public Integer call() throws Exception {
        load.validate();
        rigour.validate(urls.size());
        load.require(files == null || mix == null, "--file and --mix exclude each other");
        load.require(range == null || !resume, "--range and --resume exclude each other");
        load.require(!resume || !load.keepAlive().contains(false), "--resume takes --keepalive=on");
        load.require(sample > 0, "--verify-sample must be above 0");
        load.require(range == null || !given("--verify") && !given("--verify-sample"),
                "--range compares every byte: it takes neither --verify nor --verify-sample");
        load.require(!resume || !given("--verify-sample"),
                "--resume takes no --verify-sample: under --verify=auto it checks MD5 of every body");
        load.require(verify == Verify.AUTO || !given("--verify-sample"), "--verify-sample is for --verify=auto");
        mostRangeBytes();
        List<Long> speeds = limits.stream().map(this::speed).toList();
        List<Target> targets = load.targets(urls.stream().map(url -> url.endsWith("/") ? url : url + "/").toList());
        boolean throttled = speeds.stream().anyMatch(speed -> speed > 0);
        RunSettings settings = load.settings(quantumBytes(throttled), rigour.limits());
        Map<String, String> facts = load.facts(settings);
        if (throttled) {
            facts.putIfAbsent("SO_RCVBUF", CellRun.THROTTLED_RECEIVE_BUFFER + " of throttled clients");
        }
        facts.put("repetitions", rigour.describe());
        facts.put("verified", range != null ? "every byte" : verify.name().toLowerCase(Locale.ROOT));
        rigour.prepareOutput();
        try (Servers servers = rigour.servers(targets)) {
            // The catalogue is asked of the server, which may have to be started for that.
            interruption.lastly(servers::close);
            servers.startBlock();
            Plan plan = new Plan("Downloads from " + String.join(", ", urls), cells(targets, speeds), settings, servers,
                    rigour.schedule(load.seed()), facts);
            return new Session(interruption, load.line(), rigour).run(plan);
        }
    }

    private boolean given(String option) {
        return load.line().getParseResult().hasMatchedOption(option);
    }

    private int quantumBytes(boolean throttled) {
        if (quantum == null) {
            return 0;
        }
        load.require(throttled, "--quantum takes --limit-rate");
        // Each client has a buffer of that length.
        load.require(quantum.bytes() > 0 && quantum.bytes() <= MOST_QUANTUM_BYTES, "--quantum must be 1 to 16M");
        return Math.toIntExact(quantum.bytes());
    }

    private long speed(String limit) {
        if (limit.equals(UNLIMITED)) {
            return 0;
        }
        try {
            long bytes = Units.bytes(limit);
            load.require(bytes > 0, "--limit-rate must be above 0");
            return bytes;
        } catch (TypeConversionException e) {
            throw load.usage("--limit-rate: " + e.getMessage());
        }
    }

    private List<Cell> cells(List<Target> targets, List<Long> speeds) throws IOException {
        List<String> labels = rigour.labels(targets);
        List<Catalog> catalogs = new ArrayList<>();
        for (Target target : targets) {
            catalogs.add(load(target));
        }
        List<Cell> cells = new ArrayList<>();
        List<String> selections = Selections.names(catalogs.get(0), files, mix);
        for (int i = 0; i < targets.size(); i++) {
            learn(targets.get(i), catalogs.get(i), selections);
        }
        for (String selection : selections) {
            for (boolean keepAlive : load.keepAlive()) {
                for (long speed : speeds) {
                    List<Workload> workloads = new ArrayList<>();
                    for (int i = 0; i < targets.size(); i++) {
                        workloads.add(load.expecting(workload(targets.get(i), selection,
                                deck(catalogs.get(i), selection), keepAlive,
                                speed > 0 && verify == Verify.AUTO ? Verify.MD5 : verify)));
                    }
                    add(cells, workloads, labels, speed);
                }
            }
        }
        return cells;
    }

    /** Learns what the files of all cells hold. */
    private void learn(Target target, Catalog loaded, List<String> selections) throws IOException {
        if (range != null && !truths.containsKey(target)) {
            List<CatalogFile> needed = selections.stream().flatMap(one -> deck(loaded, one).stream()).toList();
            truths.put(target, Truth.of(target, needed, load.headers(), Math.toIntExact(load.timeout().toMillis())));
        }
    }

    private Workload workload(Target target, String selection, List<CatalogFile> deck, boolean keepAlive,
            Verify rule) {
        if (range != null) {
            return new RangeWorkload(target, selection, deck, keepAlive, mostRangeBytes(), load.headers(),
                    truths.get(target));
        }
        return resume ? new ResumeWorkload(target, selection, deck, rule, load.headers())
                : new DownloadWorkload(target, selection, deck, keepAlive, rule, sample, load.headers());
    }

    private long mostRangeBytes() {
        try {
            long most = range == null || range.equals("any") ? Long.MAX_VALUE : Units.bytes(range);
            load.require(most > 0, "--range must be above 0");
            return most;
        } catch (TypeConversionException e) {
            throw load.usage("--range: " + e.getMessage());
        }
    }

    /** Variants vary fastest, so that those to be compared are measured next to each other. */
    private void add(List<Cell> cells, List<Workload> workloads, List<String> labels, long speed) {
        for (double rate : load.rates()) {
            for (int clients : load.clients()) {
                for (int i = 0; i < workloads.size(); i++) {
                    cells.add(new Cell(labels.get(i), clients, rate, speed, workloads.get(i)));
                }
            }
        }
    }

    private List<CatalogFile> deck(Catalog loaded, String selection) {
        try {
            return Selections.deck(loaded, selection, mix != null);
        } catch (IllegalArgumentException e) {
            throw load.usage(e.getMessage());
        }
    }

    private Catalog load(Target base) throws IOException {
        Path local = Path.of(catalog);
        if (!catalog.contains("://") && Files.isRegularFile(local)) {
            return Catalog.parse(Files.readAllBytes(local));
        }
        int timeoutMillis = Math.toIntExact(load.timeout().toMillis());
        if (catalog.contains("://")) {
            Target target = load.targets(List.of(catalog)).get(0);
            // A key is for the server that is measured, and for no other.
            List<String> headers = target.address().equals(base.address()) ? load.headers() : List.of();
            return CatalogSource.fetch(target, headers, timeoutMillis);
        }
        try {
            return CatalogSource.fetch(base.resolve(catalog), load.headers(), timeoutMillis);
        } catch (IOException e) {
            throw new IOException(e.getMessage() + "; nor is there a local file " + local, e);
        }
    }
}
