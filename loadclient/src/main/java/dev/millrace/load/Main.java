package dev.millrace.load;

import java.io.PrintWriter;
import picocli.AutoComplete.GenerateCompletion;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The program: {@code java -jar loadclient.jar COMMAND}. */
@Command(name = "loadclient", mixinStandardHelpOptions = true, version = "Millrace load client 0.1.0",
        description = "Measures HTTP servers: verified throughput, latency, and the server's CPU time.",
        subcommands = {UuidCommand.class, DownloadCommand.class, CompareCommand.class, ReportCommand.class,
            SelftestCommand.class, CannedCommand.class, DemoCommand.class, ReplayCommand.class,
            GenerateCompletion.class},
        footer = {"", "Exit: 0 good, 1 errors found, 2 usage, 3 measurement invalid."})
public final class Main implements Runnable {

    /** Everything asked for was measured, and every answer was right. */
    static final int GOOD = ExitCode.OK;
    /** A server gave a wrong answer or none, or something failed here. */
    static final int ERRORS = 1;
    /** The command line was wrong. */
    static final int USAGE = ExitCode.USAGE;
    /** The figures do not stand for what they say. */
    static final int INVALID = 3;

    private static final String STOPPED = "stopped early";

    @Spec
    private CommandSpec spec;

    private Main() {
    }

    /** Runs a command and ends the JVM with its exit code. */
    public static void main(String[] args) {
        Interruption interruption = new Interruption();
        int code = commandLine(interruption).execute(args);
        if (interruption.finished()) {
            System.exit(code);
        }
    }

    /** The commands, ready to be executed. */
    static CommandLine commandLine(Interruption interruption) {
        CommandLine line = new CommandLine(new Main(), new CommandFactory(interruption));
        line.setCaseInsensitiveEnumValuesAllowed(true);
        Units.register(line);
        line.setParameterExceptionHandler(Main::usageError);
        line.setExecutionExceptionHandler((failure, command, parsed) -> {
            // The terminal's Ctrl-C reaches the servers that were started here as well: what fails then is no fault of theirs.
            boolean stopped = interruption.requested();
            command.getErr().println("loadclient: " + (stopped ? STOPPED : Units.oneLine(failure)));
            return stopped ? INVALID : ERRORS;
        });
        return line;
    }

    private static int usageError(ParameterException e, String[] args) {
        PrintWriter err = e.getCommandLine().getErr();
        err.println("loadclient: " + Units.oneLine(e) + " (see "
                + e.getCommandLine().getCommandSpec().qualifiedName() + " --help)");
        return USAGE;
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "a command is missing");
    }
}
