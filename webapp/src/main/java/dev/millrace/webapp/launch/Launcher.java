package dev.millrace.webapp.launch;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.jspecify.annotations.Nullable;

/**
 * Runs the WAR as a program. Class loaders cannot read jars inside a WAR, so that it is unpacked into a private folder.
 * The server's classes are started from there, and the folder is removed when the JVM ends.
 */
public final class Launcher {
    private static final String SERVER_CLASS = "dev.millrace.webapp.server.Standalone";
    private static final int REMOVALS = 50;
    private static final int PAUSE_MILLIS = 20;

    private final Path home;
    private volatile @Nullable AutoCloseable server;
    private volatile boolean stopping;

    /** A start that a stop may disturb. */
    interface Start {
        void run() throws Exception;
    }

    Launcher(Path home) {
        this.home = home;
    }

    /**
     * Starts the server and returns. The server's threads keep the JVM alive. It ends the JVM (1) when the WAR cannot
     * be unpacked.
     *
     * @param args the options, see {@code --help}
     * @throws Exception when the WAR lacks the server
     */
    public static void main(String[] args) throws Exception {
        try {
            launch(args);
        } catch (IOException e) {
            String folder = System.getProperty("java.io.tmpdir");
            System.err.println("millrace: could not start: cannot unpack into " + folder + ": " + e);
            System.exit(1);
        }
    }

    private static void launch(String[] args) throws Exception {
        Path war = Path.of(Launcher.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        // Only the owner may read the folder (0700), where the file system has permissions.
        Launcher launcher = new Launcher(Files.createTempDirectory("millrace-"));
        Runtime.getRuntime().addShutdownHook(new Thread(launcher::stop, "millrace-stop"));
        launcher.unlessEnding(() -> launcher.start(war, args));
    }

    void unlessEnding(Start start) throws Exception {
        try {
            start.run();
        } catch (Exception | LinkageError e) {
            // The JVM was told to end, and the files that the server needs to start were removed, classes among them.
            if (!stopping) {
                throw e;
            }
        }
    }

    private void start(Path war, String[] args) throws Exception {
        Path webapp = home.resolve("webapp");
        unpack(war, webapp);
        if (stopping) {
            return;
        }
        ClassLoader loader = new URLClassLoader("millrace-server", classPath(webapp), Launcher.class.getClassLoader());
        Thread.currentThread().setContextClassLoader(loader);
        server = (AutoCloseable) Class.forName(SERVER_CLASS, true, loader)
                .getMethod("start", Path.class, String[].class, BooleanSupplier.class)
                .invoke(null, home, args, (BooleanSupplier) () -> stopping);
    }

    private void unpack(Path war, Path target) throws IOException {
        try (ZipFile zip = new ZipFile(war.toFile())) {
            for (Enumeration<? extends ZipEntry> entries = zip.entries(); entries.hasMoreElements() && !stopping; ) {
                ZipEntry entry = entries.nextElement();
                Path file = target.resolve(entry.getName()).normalize();
                if (!file.startsWith(target)) {
                    throw new IOException("Entry outside the archive: " + entry.getName());
                }
                if (entry.isDirectory()) {
                    createFolder(file);
                } else {
                    createFolder(file.getParent());
                    try (InputStream in = zip.getInputStream(entry)) {
                        Files.copy(in, file);
                    }
                    // Last-Modified of the page must be the time of the build, not of the server's start.
                    Files.setLastModifiedTime(file, entry.getLastModifiedTime());
                }
            }
        }
    }

    // Files.createDirectories is not used, because it would create the home again after its removal.
    private void createFolder(@Nullable Path folder) throws IOException {
        if (folder != null && !folder.equals(home) && !Files.isDirectory(folder)) {
            createFolder(folder.getParent());
            Files.createDirectory(folder);
        }
    }

    private static URL[] classPath(Path webapp) throws IOException {
        Path server = webapp.resolve("WEB-INF/server");
        List<URL> urls = new ArrayList<>();
        urls.add(server.resolve("classes").toUri().toURL());
        urls.add(webapp.resolve("WEB-INF/classes").toUri().toURL());
        try (Stream<Path> jars = Files.list(server)) {
            for (Path jar : jars.filter(file -> file.toString().endsWith(".jar"))
                    .sorted()
                    .toList()) {
                urls.add(jar.toUri().toURL());
            }
        }
        return urls.toArray(URL[]::new);
    }

    void stop() {
        stopping = true;
        try {
            if (server != null) {
                server.close();
            }
        } catch (Exception e) {
            System.err.println("millrace: " + e);
        }
        try {
            remove(home);
        } catch (IOException | UncheckedIOException e) {
            System.err.println("millrace: could not remove " + home + ": " + e);
        } catch (InterruptedException e) {
            // The JVM must end now. The remaining files stay.
            Thread.currentThread().interrupt();
        }
    }

    // This repeats, because a server that is still starting may write meanwhile. It must not wait for the main thread,
    // which may be the one that ends the JVM and waits for this hook.
    private static void remove(Path root) throws IOException, InterruptedException {
        for (int left = REMOVALS; left > 0; left--) {
            try {
                deleteTree(root);
                return;
            } catch (IOException | UncheckedIOException e) {
                if (left == 1) {
                    throw e;
                }
            }
            Thread.sleep(PAUSE_MILLIS);
        }
    }

    // This uses no lambda and no further class: if the WAR was replaced since the start, none can be loaded from it.
    private static void deleteTree(Path root) throws IOException {
        List<Path> paths;
        try (Stream<Path> tree = Files.walk(root)) {
            paths = tree.toList();
        }
        IOException failure = null;
        for (int i = paths.size() - 1; i >= 0; i--) {
            try {
                Files.deleteIfExists(paths.get(i));
            } catch (IOException e) {
                failure = e;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
