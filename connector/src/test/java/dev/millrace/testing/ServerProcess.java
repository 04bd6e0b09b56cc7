package dev.millrace.testing;

import com.github.benmanes.caffeine.cache.Caffeine;
import dev.millrace.files.SendfileHandler;
import jakarta.servlet.Servlet;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.compression.Compression;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http2.HTTP2Session;
import org.eclipse.jetty.http2.hpack.HpackEncoder;
import org.eclipse.jetty.http2.server.AbstractHTTP2ServerConnectionFactory;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.logging.JettyLogger;
import org.eclipse.jetty.proxy.ProxyHandler;
import org.eclipse.jetty.security.SecurityHandler;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.session.SessionManager;
import org.eclipse.jetty.util.Callback;
import org.slf4j.Logger;

/** {@link ServedFiles} in another process, of another runtime or with other limits than the test's own. */
public final class ServerProcess implements AutoCloseable {
    /** An option that adds HTTP/2. */
    public static final String HTTP2 = "-D" + ServedFiles.HTTP2 + "=true";

    /** An option that adds a servlet. */
    public static final String SERVLET = "-D" + ServedFiles.SERVLET + "=true";

    /** An option that adds EventsHandlers. */
    public static final String EVENTS = "-D" + ServedFiles.EVENTS + "=true";

    /** An option that adds a proxy. */
    public static final String PROXY = "-D" + ServedFiles.PROXY + "=true";

    /** What is needed only with an option. */
    private static final Map<String, List<Class<?>>> MORE_TYPES = Map.of(
            HTTP2, List.of(AbstractHTTP2ServerConnectionFactory.class, HTTP2Session.class, HpackEncoder.class),
            SERVLET, List.of(ServletContextHandler.class, Servlet.class, SecurityHandler.class, SessionManager.class),
            PROXY, List.of(ProxyHandler.class, HttpClient.class, Compression.class));

    private final Process process;
    private final Thread logReader;
    private final Map<Connectors, Integer> ports = new EnumMap<>(Connectors.class);
    private final List<String> log = Collections.synchronizedList(new ArrayList<>());

    /**
     * @param prefix what starts the command: a shell that sets limits, for example
     * @param javaHome a runtime
     * @param options of its JVM
     * @param directories what is served
     */
    public ServerProcess(List<String> prefix, Path javaHome, List<String> options, Path... directories)
            throws IOException {
        List<String> command = new ArrayList<>(prefix);
        command.add(javaHome.resolve("bin").resolve("java").toString());
        command.addAll(List.of(
                // The JVM would warn on standard output.
                "-Xlog:disable",
                "-Xmx128m",
                // It ends in a moment.
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Dorg.eclipse.jetty.LEVEL=WARN",
                "-Ddev.millrace.LEVEL=WARN"));
        command.addAll(options);
        Stream<Class<?>> more = options.stream().flatMap(option -> MORE_TYPES.getOrDefault(option, List.of()).stream());
        command.addAll(List.of("-cp", classPath(more), ServedFiles.class.getName()));
        Stream.of(directories).map(Path::toString).forEach(command::add);
        process = new ProcessBuilder(command).start();
        logReader = new Thread(
                () -> new BufferedReader(new InputStreamReader(process.getErrorStream(), StandardCharsets.UTF_8))
                        .lines()
                        .forEach(log::add),
                "log of a server");
        logReader.setDaemon(true);
        logReader.start();
        BufferedReader out = process.inputReader();
        for (String line = out.readLine(); line != null && !line.isEmpty(); line = out.readLine()) {
            String[] words = line.split(" ");
            ports.put(Connectors.valueOf(words[0]), Integer.parseInt(words[1]));
        }
        if (ports.isEmpty()) {
            throw new IOException("no server: " + String.join("\n", log()));
        }
    }

    // What it needs and no more: the test's own class path has services that need other modules.
    private static String classPath(Stream<Class<?>> more) {
        Stream<Class<?>> types = Stream.of(
                ServedFiles.class,
                SendfileHandler.class,
                Server.class,
                HttpField.class,
                EndPoint.class,
                Callback.class,
                Logger.class,
                JettyLogger.class,
                Caffeine.class);
        return Stream.concat(types, more)
                .map(type -> new File(type.getProtectionDomain()
                                .getCodeSource()
                                .getLocation()
                                .getPath())
                        .toString())
                .distinct()
                .collect(Collectors.joining(File.pathSeparator));
    }

    public int port(Connectors connectors) {
        return ports.get(connectors);
    }

    /** The lines of the log so far. */
    public List<String> log() {
        synchronized (log) {
            return List.copyOf(log);
        }
    }

    /** Descriptors of files whose path begins so, deleted ones too. */
    public long descriptors(Path prefix) {
        return Leaks.descriptors(Path.of("/proc", Long.toString(process.pid()), "fd"), prefix);
    }

    /** Ends it in order. From then on, {@link #log} has all lines. */
    public void stop() throws Exception {
        process.getOutputStream().close();
        if (!process.waitFor(30, TimeUnit.SECONDS)) {
            throw new IOException("does not stop: " + log());
        }
        logReader.join(30_000);
        if (logReader.isAlive()) {
            throw new IOException("its log does not end: " + log());
        }
    }

    @Override
    public void close() {
        // Process.destroyForcibly() would close the streams that are still being read.
        process.toHandle().destroyForcibly();
    }
}
