package dev.millrace.load.cli;

import dev.millrace.load.host.ProcessCpu;
import dev.millrace.load.http.Protocol;
import dev.millrace.load.http.Target;
import dev.millrace.load.http.TlsSettings;
import dev.millrace.load.report.RunFile;
import dev.millrace.load.run.Cell;
import dev.millrace.load.run.CellResult;
import dev.millrace.load.run.CellRun;
import dev.millrace.load.run.Interruption;
import dev.millrace.load.run.Progress;
import dev.millrace.load.run.RunSettings;
import dev.millrace.load.scenario.Catalog;
import dev.millrace.load.scenario.CatalogFile;
import dev.millrace.load.scenario.DownloadWorkload;
import dev.millrace.load.scenario.Fetch;
import dev.millrace.load.scenario.UuidWorkload;
import dev.millrace.load.scenario.Verify;
import dev.millrace.load.scenario.Workload;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/**
 * Measures the cells of the demonstration. Each cell is measured on all listeners in turn, and a different one begins
 * each time. Changes of the machine then affect all of them alike. Confined to one thread.
 */
final class Demo {

    private static final List<Integer> CLIENTS = List.of(1, 2, 4, 8, 20, 50, 100);
    private static final int OTHER_CLIENTS = 8;
    private static final int DOWNLOAD_CLIENTS = 4;
    /** Divisor of the window's length for the load before it, in which the clients connect. */
    private static final int SETTLE_PART = 5;

    private static final int WARMUP_ROUNDS = 2;
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final long SEED = 42;

    private final Interruption interruption;
    private final PrintWriter err;
    private final List<String> listeners;
    private final Map<String, String> urls;
    private final ProcessCpu server;
    private final Duration duration;
    private final Duration warmup;
    private final List<CellResult> results = new ArrayList<>();
    private int rounds;

    Demo(
            Interruption interruption,
            PrintWriter err,
            List<String> listeners,
            Map<String, String> urls,
            long serverPid,
            Duration duration,
            Duration warmup) {
        this.err = err;
        this.interruption = interruption;
        this.listeners = listeners;
        this.urls = urls;
        this.server = new ProcessCpu(serverPid);
        this.duration = duration;
        this.warmup = warmup;
    }

    Map<String, String> plan() {
        Map<String, String> plan = new LinkedHashMap<>();
        plan.put("model", "closed: each client waits for the answer before it sends the next request");
        plan.put(
                "warm-up",
                RunSettings.text(warmup) + " per listener and kind of work, then " + RunSettings.text(settle())
                        + " before each window");
        plan.put("window", RunSettings.text(duration));
        plan.put("order", "listeners take turns cell by cell");
        plan.put(
                "checked",
                "status, media type, root element, number and form of UUIDs; length and CRC32C of files, "
                        + "MD5 of the first of each and of a sample");
        plan.put(RunFile.CONTROL, listeners.get(listeners.size() - 1));
        return plan;
    }

    /** Measures all cells. It ends early when the user asks for the end. */
    List<CellResult> run() throws IOException, InterruptedException {
        uuids();
        if (!interruption.requested()) {
            downloads();
        }
        return results;
    }

    private void uuids() throws InterruptedException {
        warm(base -> uuid(base, "GET", true), OTHER_CLIENTS);
        for (int clients : CLIENTS) {
            measureAll(clients, base -> uuid(base, "GET", true));
        }
        measureAll(OTHER_CLIENTS, base -> uuid(base, "POST", true));
        measureAll(OTHER_CLIENTS, base -> uuid(base, "GET", false));
    }

    private void downloads() throws IOException, InterruptedException {
        Map<Target, Catalog> catalogs = new LinkedHashMap<>();
        for (String listener : listeners) {
            Target base = target(listener);
            catalogs.put(
                    base,
                    Catalog.fetch(
                            base.resolve("/files/catalog.json"),
                            List.of(),
                            new Fetch(Math.toIntExact(TIMEOUT.toMillis()), TlsSettings.ofJdk(), Protocol.HTTP1)));
        }
        Function<Target, Catalog> catalog = base -> Objects.requireNonNull(catalogs.get(base));
        warm(base -> files(base, "mix", catalog.apply(base).files()), DOWNLOAD_CLIENTS);
        List<CatalogFile> bySize =
                new ArrayList<>(catalogs.values().iterator().next().files());
        bySize.sort(Comparator.comparingLong(CatalogFile::size));
        for (CatalogFile file : bySize) {
            measureAll(
                    DOWNLOAD_CLIENTS,
                    base -> files(base, file.name(), List.of(catalog.apply(base).file(file.name()))));
        }
    }

    /** Makes the workload for a listener. */
    private interface Work {
        Workload at(Target base);
    }

    private void warm(Work work, int clients) throws InterruptedException {
        // The listeners alternate: JIT compilers work for one of them while the next one gets its load.
        for (int i = 0; i < WARMUP_ROUNDS * listeners.size() && !interruption.requested(); i++) {
            String listener = listeners.get(i % listeners.size());
            Cell cell = new Cell(listener, clients, 0, 0, work.at(target(listener)));
            RunSettings settings = settings(Duration.ZERO, warmup.dividedBy(WARMUP_ROUNDS));
            CellResult result = measure(cell, settings, "warm-up " + listener);
            if (result.errorCount() > 0) {
                results.add(result);
            }
        }
    }

    private void measureAll(int clients, Work work) throws InterruptedException {
        for (int i = 0; i < listeners.size() && !interruption.requested(); i++) {
            String listener = listeners.get((i + rounds) % listeners.size());
            Cell cell = new Cell(listener, clients, 0, 0, work.at(target(listener)));
            results.add(measure(cell, settings(settle(), duration), listener));
        }
        rounds++;
    }

    private CellResult measure(Cell cell, RunSettings settings, String name) throws InterruptedException {
        String work = String.join(" ", cell.parameters().values());
        try (Progress progress = new Progress(err, name + " " + work, Progress.Style.AUTO)) {
            CellRun run = new CellRun(cell, settings, server, progress);
            interruption.onRequestEnd(run::stop);
            return run.run(0);
        }
    }

    private Duration settle() {
        return duration.dividedBy(SETTLE_PART);
    }

    private static RunSettings settings(Duration warmup, Duration window) {
        return RunSettings.of(RunSettings.Warmup.of(warmup), window, TIMEOUT, TIMEOUT, SEED);
    }

    private Target target(String listener) {
        String url = urls.get(listener);
        if (url == null) {
            throw new IllegalStateException("the server announced no listener " + listener);
        }
        return Target.of(url.endsWith("/") ? url : url + "/");
    }

    private static Workload uuid(Target base, String method, boolean keepAlive) {
        return new UuidWorkload(
                base.resolve("/generate-uuid"),
                new UuidWorkload.Settings(method, keepAlive, "TIME", 1, null, List.of(), UuidWorkload.Check.FULL));
    }

    private static Workload files(Target base, String label, List<CatalogFile> files) {
        return new DownloadWorkload(
                base.resolve("/files/"), label, files, true, Verify.AUTO, DownloadWorkload.SAMPLE_EVERY, List.of());
    }
}
