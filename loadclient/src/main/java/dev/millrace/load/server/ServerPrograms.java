package dev.millrace.load.server;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The programs that experiments measure: the sample application, and other servers as its peers. Immutable.
 *
 * @param java    the Java runtime that starts them
 * @param warFile the sample application; null if a command is given
 * @param command the command that starts the application instead, before its options; null for the file
 * @param peers   the jar that starts peers; null if its place is not known
 * @param root    the folder of this project's sources; null if it is not known
 */
public record ServerPrograms(
        ServerJava java,
        @Nullable Path warFile,
        @Nullable List<String> command,
        @Nullable Path peers,
        @Nullable Path root) {

    /** All peers. The module {@code peers} starts them, except nginx. */
    public static final List<String> PEERS = List.of("jetty", "tomcat", "undertow", "helidon", "nginx");

    /** The peers that have servlets. */
    public static final List<String> SERVLET_PEERS = List.of("jetty", "tomcat");

    private static final String WAR = "millrace.war";
    private static final String NGINX = "nginx";

    /**
     * Finds the programs.
     *
     * @param javaPath executable or home of the Java runtime; null for this JVM's
     * @param war     the sample application that the user named; null to look for it near this program
     * @param command the command that starts the application instead; null for none
     * @param peers   the jar of the peers that the user named; null to look for it near this program
     * @throws IOException if a file is missing; the message is for people
     */
    public static ServerPrograms find(
            @Nullable Path javaPath, @Nullable Path war, @Nullable String command, @Nullable Path peers)
            throws IOException, InterruptedException {
        ServerJava java = javaPath == null ? ServerJava.current() : ServerJava.of(javaPath);
        if (peers != null && !Files.isRegularFile(peers)) {
            throw new IOException("no such file: " + peers);
        }
        Path folder = ownFolder();
        // loadclient/target/loadclient.jar and webapp/target/millrace.war are two parts of one project.
        Path root = folder == null ? null : folder.resolve("../..").normalize();
        Path peersJar = peers != null || root == null ? peers : root.resolve("peers/target/millrace-peers.jar");
        if (command != null) {
            return new ServerPrograms(java, null, List.of(command.strip().split("\\s+")), peersJar, root);
        }
        List<Path> candidates = new ArrayList<>();
        if (war != null) {
            candidates.add(war);
        } else if (folder != null && root != null) {
            candidates.add(folder.resolve(WAR));
            candidates.add(root.resolve("webapp/target").resolve(WAR));
        }
        Path found =
                candidates.stream().filter(Files::isRegularFile).findFirst().orElse(null);
        if (found == null) {
            throw new IOException(
                    war != null
                            ? "no such file: " + war
                            : "no " + WAR + " beside this program: name it by --war or --server-cmd");
        }
        return new ServerPrograms(java, found, null, peersJar, root);
    }

    /** Feature version of the Java runtime that starts the servers. */
    public int javaFeature() {
        return java.feature();
    }

    private static @Nullable Path ownFolder() {
        try {
            return Path.of(ServerPrograms.class
                            .getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toAbsolutePath()
                    .getParent();
        } catch (URISyntaxException | IllegalArgumentException ignored) {
            // This program was not started from a file: the user must name the application.
            return null;
        }
    }

    /** The command that starts the sample application, before its options. */
    public List<String> war(String heap) {
        return command != null ? command : java.jar(Objects.requireNonNull(warFile), "-Xmx" + heap);
    }

    /** The jar or script that starts a peer; null if it is missing. */
    public @Nullable Path peer(String name) {
        Path program = !name.equals(NGINX) ? peers : root == null ? null : root.resolve("docs/bench/nginx.sh");
        boolean there = program != null && Files.isRegularFile(program) && (!name.equals(NGINX) || onPath(NGINX));
        return there ? program : null;
    }

    /** The reason why a peer is missing. */
    public String reasonForNoPeer(String name) {
        return name.equals(NGINX) ? "nginx is not installed" : "the module peers is not built";
    }

    /** The command that starts a peer, which serves a folder on a free port, with the largest heap that the application has too. */
    public List<String> peer(String name, Path folder, String heap) throws IOException {
        Path program = Objects.requireNonNull(peer(name), name);
        if (name.equals(NGINX)) {
            return List.of(program.toString(), Integer.toString(freePort()), folder.toString());
        }
        List<String> start = new ArrayList<>(java.jar(program, "-Xmx" + heap));
        start.addAll(List.of(name, "--port=0", "--directory=" + folder));
        return start;
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private static boolean onPath(String program) {
        // Debian installs nginx in a folder that only the administrator's PATH contains.
        List<String> folders =
                new ArrayList<>(List.of(String.valueOf(System.getenv("PATH")).split(":")));
        folders.add("/usr/sbin");
        return folders.stream().anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
    }

    /**
     * The servers' Java and the version of the sources, if git knows one, for the report. Which Java a command runs is not
     * known, nor from which sources it and a file of another place were built.
     */
    public Map<String, String> facts() throws InterruptedException {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put(command == null ? "server jdk" : "jdk of peers", java.version());
        String commit = root != null && isBuiltIn(root) ? commit(root) : null;
        if (commit != null) {
            facts.put("commit", commit);
        }
        return facts;
    }

    private boolean isBuiltIn(Path folder) {
        return warFile != null && warFile.toAbsolutePath().normalize().startsWith(folder);
    }

    /** The commit of a clone, marked as dirty if its sources were changed; null if git does not know one. */
    static @Nullable String commit(Path root) throws InterruptedException {
        String commit = git(root, "rev-parse", "--short=12", "HEAD");
        // The results of earlier runs are committed with the sources, but do not change them.
        String changed =
                git(root, "status", "--porcelain", "--untracked-files=no", "--", ".", ":(exclude)docs/results");
        return commit == null || changed == null ? null : commit + (changed.isEmpty() ? "" : "-dirty");
    }

    private static @Nullable String git(Path root, String... arguments) throws InterruptedException {
        List<String> command = new ArrayList<>(List.of("git"));
        command.addAll(List.of(arguments));
        try {
            Process git = new ProcessBuilder(command)
                    .directory(root.toFile())
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String printed = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            return git.waitFor() == 0 ? printed : null;
        } catch (IOException none) {
            // Git is not installed.
            return null;
        }
    }
}
