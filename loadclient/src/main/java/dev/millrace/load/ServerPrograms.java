package dev.millrace.load;

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

/**
 * What starts the servers of experiments: the sample application and its peers. Immutable.
 *
 * @param java    runs them
 * @param warFile the sample application; null if a command is given
 * @param command what starts it, its options are added; null for the file
 * @param peers   the jar that starts peers; null if it is not known where it is
 * @param root    the folder that the project's parts are built in; null if it is not known
 */
record ServerPrograms(ServerJava java, Path warFile, List<String> command, Path peers, Path root) {

    /** Peers, all of which the module {@code peers} starts but for the last one. */
    static final List<String> PEERS = List.of("jetty", "tomcat", "undertow", "helidon", "nginx");

    /** Those that have servlets. */
    static final List<String> SERVLET_PEERS = List.of("jetty", "tomcat");

    private static final String WAR = "millrace.war";
    private static final String NGINX = "nginx";

    /**
     * Finds the programs.
     *
     * @param war     the sample application as the user named it, or null: then it is looked for beside this program
     * @param command what starts it instead, or null
     * @param peers   the jar that starts peers as the user named it, or null: then it is looked for beside this program
     * @throws IOException if there is no application, or not what the user named; the message is for people
     */
    static ServerPrograms find(ServerJava java, Path war, String command, Path peers) throws IOException {
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
        } else if (folder != null) {
            candidates.add(folder.resolve(WAR));
            candidates.add(root.resolve("webapp/target").resolve(WAR));
        }
        Path found = candidates.stream().filter(Files::isRegularFile).findFirst().orElse(null);
        if (found == null) {
            throw new IOException(war != null ? "no such file: " + war
                    : "no " + WAR + " beside this program: name it by --war or --server-cmd");
        }
        return new ServerPrograms(java, found, null, peersJar, root);
    }

    private static Path ownFolder() {
        try {
            return Path.of(ServerPrograms.class.getProtectionDomain().getCodeSource().getLocation().toURI())
                    .toAbsolutePath().getParent();
        } catch (URISyntaxException | IllegalArgumentException ignored) {
            // Not started from a file: the user must name the application.
            return null;
        }
    }

    /** Starts the sample application; its options follow. */
    List<String> war(String heap) {
        return command != null ? command : java.jar(warFile, "-Xmx" + heap);
    }

    /** The jar or script that starts a peer, or null if it is not there. */
    Path peer(String name) {
        Path program = !name.equals(NGINX) ? peers : root == null ? null : root.resolve("docs/bench/nginx.sh");
        boolean there = program != null && Files.isRegularFile(program) && (!name.equals(NGINX) || onPath(NGINX));
        return there ? program : null;
    }

    String whyNoPeer(String name) {
        return name.equals(NGINX) ? "nginx is not installed" : "the module peers is not built";
    }

    /** Starts a peer that serves a folder on a free port. */
    List<String> peer(String name, Path folder) throws IOException {
        Path program = peer(name);
        if (name.equals(NGINX)) {
            return List.of(program.toString(), Integer.toString(freePort()), folder.toString());
        }
        List<String> start = new ArrayList<>(java.jar(program, "-Xmx1g"));
        start.addAll(List.of(name, "--port=0", "--directory=" + folder));
        return start;
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private static boolean onPath(String program) {
        // Debian has it where only the administrator's PATH looks.
        List<String> folders = new ArrayList<>(List.of(String.valueOf(System.getenv("PATH")).split(":")));
        folders.add("/usr/sbin");
        return folders.stream().anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
    }

    /** The version of the project's sources, if git knows one. */
    Map<String, String> facts() throws InterruptedException {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("server jdk", java.version());
        String commit = root == null ? null : commit(root);
        if (commit != null) {
            facts.put("commit", commit);
        }
        return facts;
    }

    /** @return the commit of a clone, marked when its sources are others; null when git knows of none */
    static String commit(Path root) throws InterruptedException {
        String commit = git(root, "rev-parse", "--short=12", "HEAD");
        // The results of the run before are no sources, though they lie beside them.
        String changed = git(root, "status", "--porcelain", "--untracked-files=no", "--", ".", ":(exclude)docs/results");
        return commit == null || changed == null ? null : commit + (changed.isEmpty() ? "" : "-dirty");
    }

    private static String git(Path root, String... arguments) throws InterruptedException {
        List<String> command = new ArrayList<>(List.of("git"));
        command.addAll(List.of(arguments));
        try {
            Process git = new ProcessBuilder(command).directory(root.toFile())
                    .redirectError(ProcessBuilder.Redirect.DISCARD).start();
            String printed = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            return git.waitFor() == 0 ? printed : null;
        } catch (IOException none) {
            // No git here.
            return null;
        }
    }
}
