package dev.millrace.load;

import dev.millrace.load.http.Target;
import dev.millrace.load.run.Cell;
import dev.millrace.load.scenario.Catalog;
import dev.millrace.load.scenario.CatalogFile;
import dev.millrace.load.scenario.CatalogSource;
import dev.millrace.load.scenario.DownloadWorkload;
import dev.millrace.load.scenario.Verify;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code loadclient download URL}: files that a catalogue lists. */
@Command(name = "download", mixinStandardHelpOptions = true,
        description = "Measures downloads of the files below URL. A comma list is a sweep: one cell for each combination.",
        footer = {"", "Examples:",
            "  loadclient download -c 50,100,200 -d 30s -o out http://127.0.0.1:8080/files/",
            "  loadclient download --file 1m.bin,100m.bin --catalog files.json http://127.0.0.1:8080/files/"})
final class DownloadCommand implements Callable<Integer> {

    private final Interruption interruption;

    @Mixin
    private MeasureOptions options;

    @Option(names = "--catalog", defaultValue = "catalog.json", paramLabel = "FILE|URL",
            description = "Names, sizes and MD5 of the files: a local file, or a URL, relative to the server's "
                    + "(default: ${DEFAULT-VALUE}).")
    private String catalog;

    @Option(names = "--file", split = ",", paramLabel = "NAME",
            description = "A cell for each of these files; 'each': for each file of the catalogue "
                    + "(default: one cell with all files, equally often).")
    private List<String> files;

    @Option(names = "--verify", defaultValue = "auto", paramLabel = "none|length|crc|md5|auto",
            description = "Check of bodies; auto: CRC32C of all, MD5 of the first of each file and of a sample "
                    + "(default: ${DEFAULT-VALUE}).")
    private Verify verify;

    @Parameters(paramLabel = "URL", description = "What the files' names are below, such as http://127.0.0.1:8080/files/.")
    private String url;

    DownloadCommand(Interruption interruption) {
        this.interruption = interruption;
    }

    @Override
    public Integer call() throws Exception {
        options.validate();
        Target base = options.target(url.endsWith("/") ? url : url + "/");
        Map<String, List<CatalogFile>> selections = selections(load(base));
        List<Cell> cells = new ArrayList<>();
        selections.forEach((label, selection) -> {
            for (boolean keepAlive : options.keepAlive()) {
                DownloadWorkload workload =
                        new DownloadWorkload(base, label, selection, keepAlive, verify, options.headers());
                options.clients().forEach(clients -> cells.add(new Cell(clients, workload)));
            }
        });
        Map<String, String> facts = options.plan();
        facts.put("verified", verify.name());
        Plan plan = new Plan("Downloads from " + base.uri(), cells, options.settings(), options.server(base),
                options.output(), facts);
        return new Session(interruption, options.line()).run(plan);
    }

    private Catalog load(Target base) throws IOException {
        Path local = Path.of(catalog);
        if (!catalog.contains("://") && Files.isRegularFile(local)) {
            return Catalog.parse(Files.readAllBytes(local));
        }
        Target target = catalog.contains("://") ? options.target(catalog) : base.resolve(catalog);
        return CatalogSource.fetch(target, Math.toIntExact(options.timeout().toMillis()));
    }

    private Map<String, List<CatalogFile>> selections(Catalog loaded) {
        Map<String, List<CatalogFile>> selections = new LinkedHashMap<>();
        if (files == null) {
            String label = loaded.files().size() == 1 ? loaded.files().get(0).name() : "mix";
            selections.put(label, loaded.files());
        } else if (files.equals(List.of("each"))) {
            loaded.files().forEach(file -> selections.put(file.name(), List.of(file)));
        } else {
            for (String name : files) {
                try {
                    selections.put(name, List.of(loaded.file(name)));
                } catch (IllegalArgumentException e) {
                    throw options.usage(e.getMessage());
                }
            }
        }
        return selections;
    }
}
