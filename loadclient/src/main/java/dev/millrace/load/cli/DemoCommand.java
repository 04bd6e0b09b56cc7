package dev.millrace.load.cli;

import static dev.millrace.load.cli.UsageException.require;

import dev.millrace.load.host.Environment;
import dev.millrace.load.report.ComparisonTable;
import dev.millrace.load.report.ReportFolder;
import dev.millrace.load.report.ResultLine;
import dev.millrace.load.report.RunFile;
import dev.millrace.load.run.CellResult;
import dev.millrace.load.run.Interruption;
import dev.millrace.load.server.ServerProcess;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code loadclient demo WAR}: the three listeners of the sample application side by side. */
@Command(
        name = "demo",
        mixinStandardHelpOptions = true,
        description = "Starts the sample application WAR with its BIO, NIO and stock listeners and compares them.",
        footer = {"", "Example:", "  loadclient demo -o report webapp/target/millrace.war"})
final class DemoCommand implements Callable<Integer> {

    /** The columns in their order; the last one is the control. */
    private static final List<String> LISTENERS = List.of("BIO", "NIO", "STOCK");

    private final Interruption interruption;

    @Spec
    private CommandSpec spec;

    @Option(
            names = {"-d", "--duration"},
            defaultValue = "1200ms",
            paramLabel = "TIME",
            description = "Length of the measured window of each cell (default: ${DEFAULT-VALUE}).")
    private Duration duration;

    @Option(
            names = "--warmup",
            defaultValue = "5s",
            paramLabel = "TIME",
            description = "First load on each listener and of each kind, thrown away (default: ${DEFAULT-VALUE}).")
    private Duration warmup;

    @Option(
            names = {"-o", "--output"},
            defaultValue = "demo-report",
            paramLabel = "DIR",
            description = "Folder for run.json, report.html and the server's output (default: ${DEFAULT-VALUE}).")
    private Path output;

    @Parameters(paramLabel = "WAR", description = "The sample application.")
    private Path war;

    DemoCommand(Interruption interruption) {
        this.interruption = interruption;
    }

    @Override
    public Integer call() throws Exception {
        require(!duration.isZero(), "--duration must be above 0");
        require(Files.isRegularFile(war), "no such file: " + war);
        OutputFolder.prepare(output);
        String started = RunFile.now();
        Map<String, String> environment = new LinkedHashMap<>(Environment.read());
        try (ServerProcess server = start()) {
            // The server must end with this JVM, whether Ctrl-C comes before the first cell or a cell is slow to end.
            interruption.onRequest(server::close);
            interruption.beforeExit(server::close);
            Map<String, String> urls = server.awaitListeners();
            environment.put("server process", String.valueOf(Environment.commandLine(server.pid())));
            Demo demo = new Demo(
                    interruption, spec.commandLine().getErr(), LISTENERS, urls, server.pid(), duration, warmup);
            List<CellResult> results = demo.run();
            RunFile run = RunFile.of(
                    "BIO, NIO and Jetty's own connector side by side",
                    started,
                    Environment.commandLine(),
                    environment,
                    demo.plan(),
                    results);
            return report(run);
        }
    }

    private ServerProcess start() throws IOException {
        return ServerProcess.ofJava(
                List.of("-jar", war.toString(), "--bio-port=0", "--nio-port=0", "--stock-port=0"),
                LISTENERS.size(),
                output.resolve("server.log"));
    }

    private int report(RunFile run) throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        out.print(ComparisonTable.of(run.cells(), LISTENERS));
        out.flush();
        Path page = ReportFolder.write(run, output);
        out.println("report: " + page.toAbsolutePath().normalize());
        out.flush();
        List<CellResult> noted =
                run.cells().stream().filter(cell -> !cell.notes().isEmpty()).toList();
        if (!noted.isEmpty()) {
            CellResult first = noted.get(0);
            spec.commandLine()
                    .getErr()
                    .println("note: the report has notes on " + noted.size() + " of "
                            + run.cells().size() + " cells, such as " + ResultLine.name(first) + ": "
                            + String.join("; ", first.notes()));
        }
        int code = ExitCode.of(run.cells());
        run.cells().stream()
                .filter(cell -> code == ExitCode.INVALID ? !cell.valid() : cell.errorCount() > 0)
                .findFirst()
                .ifPresent(cell -> spec.commandLine()
                        .getErr()
                        .println("loadclient: " + ResultLine.name(cell) + ": " + cell.verdict()
                                + (interruption.requested() ? "" : " " + ResultLine.errors(cell))));
        return code;
    }
}
