package dev.millrace.load.cli;

import static dev.millrace.load.cli.UsageException.require;

import dev.millrace.load.http.Protocol;
import dev.millrace.load.http.Target;
import dev.millrace.load.run.Cell;
import dev.millrace.load.run.CellRun;
import dev.millrace.load.run.Interruption;
import dev.millrace.load.run.RunSettings;
import dev.millrace.load.scenario.Catalog;
import dev.millrace.load.scenario.CatalogFile;
import dev.millrace.load.scenario.DownloadWorkload;
import dev.millrace.load.scenario.Fetch;
import dev.millrace.load.scenario.RangeWorkload;
import dev.millrace.load.scenario.ReferenceFiles;
import dev.millrace.load.scenario.ResumeWorkload;
import dev.millrace.load.scenario.Verify;
import dev.millrace.load.scenario.Workload;
import dev.millrace.load.server.Servers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code loadclient download URL}: files that a catalogue lists. */
@Command(
        name = "download",
        mixinStandardHelpOptions = true,
        description = "Measures downloads of the files below URL. A comma list is a sweep: one cell for each "
                + "combination.",
        footer = {
            "",
            "Examples:",
            "  loadclient download -c 50,100,200 -d 30s --limit-rate none,1M -o out \\",
            "      http://127.0.0.1:8080/files/",
            "  loadclient download --mix 1k:40,1m:10,100m:1 http://127.0.0.1:8080/files/",
            "  loadclient download --range=64k -c 50 http://127.0.0.1:8080/files/",
            "  loadclient download --file a.iso,b.iso http://127.0.0.1:8080/files/",
            "  loadclient download --file each --catalog files.json \\",
            "      http://127.0.0.1:8080/files/"
        })
final class DownloadCommand extends LoadCommand {

    private static final String UNLIMITED = "none";
    private static final String NO_CATALOG = "none";
    private static final long MOST_QUANTUM_BYTES = 16L << 20;

    private final Map<Target, ReferenceFiles> references = new HashMap<>();

    @Option(
            names = "--catalog",
            defaultValue = "catalog.json",
            paramLabel = "FILE|URL|none",
            description = "Names, sizes and MD5 of the files: a local file, or a URL, relative to the server's; none: "
                    + "those of --file are learnt by downloading each once (default: ${DEFAULT-VALUE}; none if there is "
                    + "no such catalogue and --file names files).")
    private String catalog;

    @Option(
            names = "--file",
            split = ",",
            paramLabel = "NAME",
            description = "A cell for each of these files; 'each': for each file of the catalogue "
                    + "(default: one cell with all files, equally often).")
    private @Nullable List<String> files;

    @Option(
            names = "--mix",
            paramLabel = "SIZE:WEIGHT,...",
            description = "One cell with files of these sizes in these proportions.")
    private @Nullable String mix;

    @Option(
            names = "--limit-rate",
            split = ",",
            defaultValue = UNLIMITED,
            paramLabel = "none|SIZE",
            description = "Bytes per second of each client; K and M are powers of 1024 (default: ${DEFAULT-VALUE}).")
    private List<String> limits;

    @Option(
            names = "--quantum",
            paramLabel = "SIZE",
            description =
                    "Bytes that a client under --limit-rate reads at once, then waits until they are due (default: "
                            + "a sixteenth of what it may read in a second, 512 to 64k). HTTP/2 is read by frames.")
    private Units.@Nullable ByteSize quantum;

    @Option(
            names = "--range",
            paramLabel = "any|SIZE",
            description = "Downloads random ranges, of any length or of at most so many bytes; each byte is compared "
                    + "with the whole file, which is downloaded once before.")
    private @Nullable String range;

    @Option(
            names = "--resume",
            description = "Breaks each download off at a random place and goes on with Range and "
                    + "If-Range on a new connection; the whole body is checked.")
    private boolean resume;

    @Option(
            names = "--verify",
            defaultValue = "auto",
            paramLabel = "none|length|crc|md5|auto",
            description =
                    "Check of bodies, beside the status; auto: CRC32C of all, MD5 of the first of each file, and of all others when "
                            + "throttled, of one in 20 when not (default: ${DEFAULT-VALUE}).")
    private Verify verify;

    @Option(
            names = "--verify-sample",
            defaultValue = "20",
            paramLabel = "N",
            description = "Under --verify=auto MD5 of one in so many (default: ${DEFAULT-VALUE}).")
    private int sample;

    DownloadCommand(Interruption interruption) {
        super(interruption);
    }

    @Override
    public Integer call() throws Exception {
        validate();
        validateDownloads();
        List<Long> speeds = limits.stream().map(DownloadCommand::speed).toList();
        requireTurns(speeds.stream().allMatch(speed -> speed == 0));
        List<Target> targets = load().targets(urls().stream()
                .map(url -> url.endsWith("/") ? url : url + "/")
                .toList());
        boolean throttled = speeds.stream().anyMatch(speed -> speed > 0);
        RunSettings settings = load().settings(quantumBytes(throttled), run().limits());
        Map<String, String> facts = load().facts(settings);
        if (throttled) {
            facts.putIfAbsent("SO_RCVBUF", CellRun.THROTTLED_RECEIVE_BUFFER + " of throttled clients");
        }
        facts.put("repetitions", run().describe());
        facts.put("verified", range != null ? "every byte" : verify.name().toLowerCase(Locale.ROOT));
        if (verify == Verify.AUTO && range == null && !resume) {
            facts.put("MD5", "of one in " + sample + ", of all when throttled");
        }
        prepareFolder();
        try (Servers servers = servers(targets)) {
            interruption().onRequest(servers::close);
            interruption().beforeExit(servers::close);
            // The server must run, because it is asked for its catalogue.
            servers.startBlock();
            List<Cell> cells = cells(targets, speeds, settings);
            return measure("Downloads from " + String.join(", ", urls()), settings, servers, facts, cells);
        }
    }

    /** Checks what can be checked before a server is started, or asked for its catalogue. */
    private void validateDownloads() {
        require(files == null || mix == null, "--file and --mix exclude each other");
        require(range == null || !resume, "--range and --resume exclude each other");
        require(!resume || !load().keepAlive().contains(false), "--resume takes --keepalive=on");
        require(!resume || !load().multiplexed(), "--resume takes --streams=1");
        require(!load().multiplexed() || limits.stream().allMatch(UNLIMITED::equals), "--limit-rate takes --streams=1");
        require(sample > 0, "--verify-sample must be above 0");
        require(
                range == null || (!given("--verify") && !given("--verify-sample")),
                "--range compares every byte: it takes neither --verify nor --verify-sample");
        require(
                !resume || !given("--verify-sample"),
                "--resume takes no --verify-sample: under --verify=auto it checks MD5 of every body");
        require(verify == Verify.AUTO || !given("--verify-sample"), "--verify-sample is for --verify=auto");
        if (range != null) {
            mostRangeBytes(range);
        }
        if (mix != null) {
            Selections.requireForm(mix);
        }
        require(
                !catalog.equals(NO_CATALOG) || (files != null && !files.equals(List.of(Selections.EACH))),
                "--catalog=none takes --file NAME");
    }

    private int quantumBytes(boolean throttled) {
        if (quantum == null) {
            return 0;
        }
        require(throttled, "--quantum takes --limit-rate");
        require(
                load().protocols().stream().allMatch(Protocol.HTTP1::equals),
                "--quantum takes --protocol=http1: HTTP/2 is read by frames");
        // Each client has a buffer of that length.
        require(quantum.bytes() > 0 && quantum.bytes() <= MOST_QUANTUM_BYTES, "--quantum must be 1 to 16M");
        return Math.toIntExact(quantum.bytes());
    }

    private static long speed(String limit) {
        if (limit.equals(UNLIMITED)) {
            return 0;
        }
        long bytes = UsageException.parse("--limit-rate: ", () -> Units.bytes(limit));
        require(bytes > 0, "--limit-rate must be above 0");
        return bytes;
    }

    private List<Cell> cells(List<Target> targets, List<Long> speeds, RunSettings settings) throws IOException {
        List<String> labels = run().labels(targets);
        List<Catalog> catalogs = new ArrayList<>();
        for (Target target : targets) {
            if (target.secure()) {
                // Before the catalogue, whose form would stand behind what is wrong with a certificate.
                Session.probe(target, load().protocols().get(0), settings);
            }
            catalogs.add(load(target));
        }
        List<Cell> cells = new ArrayList<>();
        List<String> selections = Selections.names(catalogs.get(0), files, mix);
        for (int i = 0; i < targets.size(); i++) {
            fetchReferences(targets.get(i), catalogs.get(i), selections);
            requireMd5(targets.get(i), catalogs.get(i), selections);
        }
        for (String selection : selections) {
            for (boolean keepAlive : load().keepAlive()) {
                for (long speed : speeds) {
                    Verify rule = speed > 0 && verify == Verify.AUTO ? Verify.MD5 : verify;
                    List<Workload> workloads = new ArrayList<>();
                    for (int i = 0; i < targets.size(); i++) {
                        List<CatalogFile> deck = deck(catalogs.get(i), selection);
                        workloads.add(workload(targets.get(i), selection, deck, keepAlive, rule));
                    }
                    cells.addAll(load().cells(labels, workloads, speed));
                }
            }
        }
        return cells;
    }

    /** Downloads the files of all cells once, if ranges are to be compared with them. */
    private void fetchReferences(Target target, Catalog loaded, List<String> selections) throws IOException {
        if (range != null && !references.containsKey(target)) {
            List<CatalogFile> needed = selections.stream()
                    .flatMap(one -> deck(loaded, one).stream())
                    .toList();
            references.put(target, ReferenceFiles.of(target, needed, load().headers(), fetch()));
        }
    }

    /** Without an MD5 nothing can be compared with a body, which must not look like one that was checked. */
    private void requireMd5(Target target, Catalog loaded, List<String> selections) {
        List<String> unchecked = selections.stream()
                .flatMap(one -> deck(loaded, one).stream())
                .filter(file -> file.md5() == null)
                .map(CatalogFile::name)
                .distinct()
                .toList();
        if (unchecked.isEmpty() || verify == Verify.NONE || verify == Verify.LENGTH) {
            return;
        }
        String missing = "the catalogue of " + target.uri() + " gives no MD5 of " + unchecked.get(0)
                + (unchecked.size() > 1 ? " and others, " + unchecked.size() + " in all" : "");
        require(verify == Verify.AUTO, "--verify=" + verify.name().toLowerCase(Locale.ROOT) + ": " + missing);
        note(missing + ": the content is not checked");
    }

    private Workload workload(Target target, String selection, List<CatalogFile> deck, boolean keepAlive, Verify rule) {
        if (range != null) {
            require(deck.stream().anyMatch(file -> file.size() > 0), "--range takes files that are not empty");
            return new RangeWorkload(
                    target,
                    selection,
                    deck,
                    keepAlive,
                    mostRangeBytes(range),
                    load().headers(),
                    Objects.requireNonNull(references.get(target)));
        }
        return resume
                ? new ResumeWorkload(target, selection, deck, rule, load().headers())
                : new DownloadWorkload(target, selection, deck, keepAlive, rule, sample, load().headers());
    }

    private static long mostRangeBytes(String text) {
        long most = text.equals("any") ? Long.MAX_VALUE : UsageException.parse("--range: ", () -> Units.bytes(text));
        require(most > 0, "--range must be above 0");
        return most;
    }

    private List<CatalogFile> deck(Catalog loaded, String selection) {
        return UsageException.parse("", () -> Selections.deck(loaded, selection, mix != null));
    }

    private Fetch fetch() {
        return new Fetch(
                load().timeoutMillis(), load().tls(), load().protocols().get(0));
    }

    private Catalog load(Target base) throws IOException {
        List<String> named = files == null || files.equals(List.of(Selections.EACH)) ? List.of() : files;
        if (catalog.equals(NO_CATALOG)) {
            return Catalog.learn(base, named, load().headers(), fetch());
        }
        Path local = Path.of(catalog);
        if (!catalog.contains("://") && Files.isRegularFile(local)) {
            return Catalog.read(local);
        }
        if (catalog.contains("://")) {
            Target target = load().targets(List.of(catalog)).get(0);
            // Request fields may hold credentials, which only the measured server may get.
            List<String> headers = target.address().equals(base.address()) ? load().headers() : List.of();
            return Catalog.fetch(target, headers, fetch());
        }
        try {
            return Catalog.fetch(base, catalog, load().headers(), fetch());
        } catch (IOException e) {
            if (!named.isEmpty() && !given("--catalog")) {
                note("no catalogue below " + base.uri() + ": sizes and MD5 are those of a first download");
                return Catalog.learn(base, named, load().headers(), fetch());
            }
            throw new IOException(e.getMessage() + "; nor is there a local file " + local, e);
        }
    }
}
