package dev.millrace.load.cli;

import dev.millrace.load.http.Failure;
import dev.millrace.load.run.Interruption;
import picocli.AutoComplete.GenerateCompletion;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The program: {@code java -jar loadclient.jar COMMAND}. */
@Command(
        name = "loadclient",
        mixinStandardHelpOptions = true,
        version = "Millrace load client 0.1.0",
        description = "Measures HTTP servers: verified throughput, latency, and the server's CPU time.",
        footer = {"", "Exit: 0 good, 1 errors found, 2 usage, 3 measurement invalid, 130 Ctrl-C."})
public final class Main implements Runnable {

    private Main() {}

    /** Runs a command and ends the JVM with its exit code. */
    public static void main(String[] args) {
        Interruption interruption = new Interruption();
        int code = run(commandLine(interruption), args);
        if (interruption.finished()) {
            System.exit(code);
        }
    }

    private static int run(CommandLine line, String[] args) {
        int code;
        try {
            code = line.execute(args);
        } catch (OutOfMemoryError e) {
            // If this thread ended by the error, the shutdown hook would wait for a report that nobody writes.
            line.getErr().println("loadclient: out of memory: " + Failure.firstLine(e) + " (java -Xmx gives more)");
            code = ExitCode.ERRORS;
        }
        // A PrintStream does not throw. Results that could not be printed must not look good.
        if (System.out.checkError() && code == ExitCode.GOOD) {
            line.getErr().println("loadclient: cannot write to standard output");
            code = ExitCode.ERRORS;
        }
        return code;
    }

    /** All commands; those that measure get the interruption. */
    static CommandLine commandLine(Interruption interruption) {
        // Picocli's tracer would warn on standard error of a quote in a name, which a name may well have.
        CommandLine.tracer().setLevel(CommandLine.TraceLevel.OFF);
        CommandLine line = new CommandLine(new Main())
                .addSubcommand(new HttpCommand(interruption))
                .addSubcommand(new UuidCommand(interruption))
                .addSubcommand(new DownloadCommand(interruption))
                .addSubcommand(new CatalogCommand())
                .addSubcommand(new CompareCommand())
                .addSubcommand(new ReportCommand())
                .addSubcommand(new SelftestCommand(interruption))
                .addSubcommand(new CannedCommand())
                .addSubcommand(new DemoCommand(interruption))
                .addSubcommand(new ReplayCommand(interruption))
                .addSubcommand(new GenerateCompletion());
        line.setCaseInsensitiveEnumValuesAllowed(true);
        Units.register(line);
        line.setParameterExceptionHandler((failure, args) -> usageError(failure.getCommandLine(), failure));
        line.setExecutionExceptionHandler((failure, command, parsed) -> {
            if (failure instanceof UsageException) {
                return usageError(command, failure);
            }
            // Ctrl-C ends the servers of the same terminal too, so that failures after it are not theirs.
            boolean stopped = interruption.requested();
            command.getErr().println("loadclient: " + (stopped ? "stopped early" : Failure.firstLine(failure)));
            return stopped ? ExitCode.INVALID : ExitCode.ERRORS;
        });
        return line;
    }

    private static int usageError(CommandLine command, Exception failure) {
        command.getErr()
                .println("loadclient: " + Failure.firstLine(failure) + " (see "
                        + command.getCommandSpec().qualifiedName() + " --help)");
        return ExitCode.USAGE;
    }

    @Override
    public void run() {
        throw new UsageException("a command is missing");
    }
}
