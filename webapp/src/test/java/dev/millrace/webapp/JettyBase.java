package dev.millrace.webapp;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** A {@code $JETTY_BASE} of the Jetty distribution, into which the project's archive is unpacked. */
record JettyBase(Path folder) {

    /** Unpacks the archive, and enables modules by Jetty's {@code start.jar}. */
    static JettyBase create(Path folder, String modules) throws Exception {
        unzip(Path.of(System.getProperty("millrace.jettyZip")), folder);
        JettyBase base = new JettyBase(folder);
        try (ServerProcess setup = base.start("--add-modules=" + modules)) {
            if (setup.exitCode() != 0) {
                throw new IOException("start.jar: " + setup.out() + setup.err());
            }
        }
        return base;
    }

    private static void unzip(Path archive, Path folder) throws IOException {
        try (ZipFile zip = new ZipFile(archive.toFile())) {
            for (ZipEntry entry :
                    zip.stream().filter(entry -> !entry.isDirectory()).toList()) {
                Path file = folder.resolve(entry.getName());
                Files.createDirectories(file.getParent());
                try (InputStream in = zip.getInputStream(entry)) {
                    Files.copy(in, file);
                }
            }
        }
    }

    /** Runs {@code start.jar} with these arguments, which starts a server by default. */
    ServerProcess start(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                "-Djava.io.tmpdir=" + folder,
                "-jar",
                Path.of(System.getProperty("millrace.jettyHome"), "start.jar").toString(),
                "jetty.base=" + folder));
        command.addAll(List.of(arguments));
        return ServerProcess.java(folder, command);
    }

    /** Starts Jetty's connector and both connectors of Millrace on free ports of the loopback interface. */
    ServerProcess startAnywhere(String... arguments) throws IOException {
        List<String> all = new ArrayList<>(List.of(
                "jetty.http.host=127.0.0.1",
                "jetty.http.port=0",
                "millrace.bio.host=127.0.0.1",
                "millrace.bio.port=0",
                "millrace.nio.host=127.0.0.1",
                "millrace.nio.port=0"));
        all.addAll(List.of(arguments));
        return start(all.toArray(String[]::new));
    }

    /** The address of a connector by its name, or without one by the simple name of its class; of a server that has started. */
    static String url(ServerProcess server, String connector) throws InterruptedException {
        server.await("Started oejs\\.Server@");
        return "http://127.0.0.1:"
                + server.await("Started (?:\\w+\\.)?" + connector + "@.*:(\\d+)}")
                        .group(1);
    }
}
