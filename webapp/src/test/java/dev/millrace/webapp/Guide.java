package dev.millrace.webapp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A page that one follows by copying, followed. Fenced blocks of the language {@code sh} are run, one after the other, in one
 * folder and environment; {@code sh server} goes on running until the next one of that kind. A block {@code text} is what the
 * command before it prints, with … for what differs. A block with a file's name is that file. Ports are free ones.
 */
final class Guide implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Guide.class.getName());
    private static final Pattern PORT = Pattern.compile("(?<![\\w.])(80\\d\\d|844\\d|90\\d\\d)(?!\\w)");
    private static final String READY = "Started oejs\\.Server@|[Ll]istening|Serving HTTP";

    private final Path folder;
    private final Map<String, String> ports = new TreeMap<>();
    private ServerProcess server;
    private List<String> printed = List.of();
    private int commands;

    /** @param info what stands behind the fence: the language, and a word that says more */
    private record Block(List<String> info, String text) {
        boolean is(String... words) {
            return info.equals(List.of(words));
        }
    }

    private Guide(Path folder) {
        this.folder = folder;
    }

    /**
     * Does what a page says.
     *
     * @param folder where; a new one
     * @return how many blocks were run
     */
    static int follow(Path page, Path folder) throws Exception {
        try (Guide guide = new Guide(folder)) {
            Files.writeString(folder.resolve("state"), "");
            for (Block block : blocks(page)) {
                guide.follow(block);
            }
            return guide.commands;
        }
    }

    private static List<Block> blocks(Path page) throws IOException {
        List<Block> blocks = new ArrayList<>();
        List<String> info = null;
        List<String> lines = new ArrayList<>();
        int indent = 0;
        for (String line : Files.readAllLines(page)) {
            boolean isFence = line.strip().startsWith("```");
            if (isFence && info == null) {
                info = List.of(line.strip().substring(3).split(" "));
                indent = line.indexOf('`');
            } else if (isFence) {
                blocks.add(new Block(info, String.join("\n", lines)));
                info = null;
                lines.clear();
            } else if (info != null) {
                lines.add(line.substring(Math.min(indent, line.length())));
            }
        }
        return blocks;
    }

    private void follow(Block block) throws Exception {
        String text = withFreePorts(block.text());
        if (block.is("sh")) {
            try (ServerProcess shell = shell(text)) {
                assertEquals(0, shell.exitCode(), () -> text + ": " + shell.out() + shell.err());
                printed = shell.out();
            }
            commands++;
        } else if (block.is("sh", "server")) {
            close();
            server = shell(text);
            server.await(READY);
            commands++;
        } else if (block.is("text")) {
            String wanted = ("\\Q" + text + "\\E").replace("…", "\\E.*\\Q");
            String found = String.join("\n", printed);
            assertTrue(Pattern.compile(wanted).matcher(found).matches(), () -> text + "\nis printed as\n" + found);
        } else if (block.info().size() == 2) {
            Path file = Path.of(lastDirectory()).resolve(block.info().get(1));
            Files.createDirectories(file.getParent());
            Files.writeString(file, text + "\n");
        }
    }

    private String withFreePorts(String text) {
        return PORT.matcher(text).replaceAll(port -> ports.computeIfAbsent(port.group(), written -> freePort()));
    }

    /** One below those that the system gives to clients: none of them takes it before the server does. */
    private String freePort() {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(20_000, 32_000);
            // Another port of the page may have got this one.
            if (ports.containsValue(String.valueOf(port))) {
                continue;
            }
            try (ServerSocket socket = new ServerSocket(port)) {
                return String.valueOf(socket.getLocalPort());
            } catch (IOException x) {
                LOG.log(System.Logger.Level.DEBUG, "port {0} is taken", port);
            }
        }
    }

    /** The folder in which the command before has ended. */
    private String lastDirectory() throws IOException {
        return Files.readAllLines(folder.resolve("state")).stream()
                .filter(line -> line.startsWith("cd "))
                .map(line -> line.substring(3))
                .findFirst()
                .orElse(folder.toString());
    }

    private ServerProcess shell(String commands) throws IOException {
        Path state = folder.resolve("state");
        String script =
                "set -euo pipefail; source " + state + "\n" + commands + "\n{ echo cd $PWD; export -p; } > " + state;
        List<String> command = new ArrayList<>(List.of("env"));
        command.addAll(environment().entrySet().stream()
                .map(variable -> variable.getKey() + "=" + variable.getValue())
                .collect(Collectors.toList()));
        command.addAll(List.of("bash", "-c", script));
        return ServerProcess.command(folder, command);
    }

    private Map<String, String> environment() {
        Path java = Path.of(System.getProperty("java.home"), "bin");
        return Map.of(
                "PATH", java + ":" + System.getenv("PATH"),
                "JETTY_HOME", System.getProperty("millrace.jettyHome"),
                "JETTY_BASE", folder.resolve("base").toString(),
                "JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Djava.io.tmpdir=" + folder,
                "MILLRACE", Path.of("..").toAbsolutePath().normalize().toString());
    }

    @Override
    public void close() {
        if (server != null) {
            server.close();
        }
    }
}
