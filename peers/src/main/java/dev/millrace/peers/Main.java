package dev.millrace.peers;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.logging.Level;
import java.util.logging.Logger;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Starts one server, prints its address when it is ready, and stops it on SIGTERM. Exit code 1: it could not start,
 * 2: a wrong command line.
 */
@Command(
        name = "millrace-peers",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Serves /hello (not millrace-files), /files/* (not virtual-threads) and /generate-uuid (not millrace-files, undertow, helidon) on 127.0.0.1.")
public final class Main implements Callable<Integer> {
    // It is kept, because java.util.logging, by which peers log, forgets the level of a logger that nobody refers to.
    private static final Logger ROOT = Logger.getLogger("");

    @Parameters(
            index = "0",
            paramLabel = "PEER",
            description = "jetty (ResourceHandler), "
                    + "jetty-servlet (DefaultServlet), millrace-handler, millrace-servlet, millrace-default (SendfileHandler, "
                    + "SendfileServlet, DefaultServlet with SendfileContentFactory), millrace-files (SendfileHandler, alone), tomcat, undertow, helidon, or virtual-threads (no "
                    + "server: a virtual thread for each connection answers /hello to everything)")
    private String name = "";

    @Option(names = "--port", paramLabel = "PORT", defaultValue = "0", description = "0, the default: any free one")
    private int port;

    @Option(names = "--directory", paramLabel = "DIR", required = true, description = "what /files/ shows")
    private Path directory = Path.of("");

    @Option(
            names = "--max-threads",
            paramLabel = "N",
            defaultValue = "0",
            description =
                    "largest size of the server's thread pool, not for helidon and virtual-threads; 0, the default: the server's own")
    private int maxThreads;

    @Mixin
    private final ConnectorSettings connector = new ConnectorSettings();

    private Main() {}

    /**
     * Starts the peer that the arguments name.
     *
     * @param args see {@code --help}
     */
    public static void main(String[] args) {
        ROOT.setLevel(Level.WARNING);
        int code = new CommandLine(new Main())
                .setParameterExceptionHandler((x, arguments) -> {
                    System.err.println("millrace-peers: " + x.getMessage());
                    return CommandLine.ExitCode.USAGE;
                })
                .setExecutionExceptionHandler((x, command, parsed) -> {
                    System.err.println("millrace-peers: " + x);
                    return x instanceof IllegalArgumentException
                            ? CommandLine.ExitCode.USAGE
                            : CommandLine.ExitCode.SOFTWARE;
                })
                .execute(args);
        if (code != CommandLine.ExitCode.OK) {
            System.exit(code);
        }
    }

    @Override
    public Integer call() throws Exception {
        if (!Files.isDirectory(directory)) {
            throw new IllegalArgumentException("no directory: " + directory);
        }
        if (connector.given() && !Peers.onJetty().contains(name)) {
            throw new IllegalArgumentException("a connector can be chosen for " + String.join(", ", Peers.onJetty()));
        }
        Peer peer = Peers.of(name);
        int bound = peer.start(new Settings(port, directory.toRealPath(), maxThreads, connector));
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(peer), "stop"));
        System.out.println("listening on " + (connector.isSecure() ? "https" : "http") + "://127.0.0.1:" + bound);
        return CommandLine.ExitCode.OK;
    }

    private static void stop(Peer peer) {
        try {
            peer.stop();
        } catch (Exception x) {
            System.err.println("millrace-peers: " + x);
        }
    }
}
