package dev.millrace.webapp;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The WAR in the real Jetty distribution, started by its own {@code start.jar}, with Jetty's connector and ours. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class JettyHomeContract extends DeployedContract {
    private final String environment;
    private ServerProcess server;

    JettyHomeContract(String environment) {
        this.environment = environment;
    }

    @BeforeAll
    void start(@TempDir Path base) throws Exception {
        Files.copy(Path.of(System.getProperty("millrace.war")),
            Files.createDirectory(base.resolve("webapps")).resolve("ROOT.war"));
        unzip(Path.of(System.getProperty("millrace.jettyZip")), base);
        String modules = "--add-modules=http,millrace-bio,millrace-nio," + environment + "-deploy";
        try (ServerProcess setup = jetty(base, modules)) {
            if (setup.exitCode() != 0) {
                throw new IOException("start.jar: " + setup.out() + setup.err());
            }
        }
        server = jetty(base, "jetty.http.host=127.0.0.1", "jetty.http.port=0", "millrace.bio.host=127.0.0.1",
            "millrace.bio.port=0", "millrace.nio.host=127.0.0.1", "millrace.nio.port=0");
    }

    private static void unzip(Path archive, Path folder) throws IOException {
        try (ZipFile zip = new ZipFile(archive.toFile())) {
            for (ZipEntry entry : zip.stream().filter(entry -> !entry.isDirectory()).toList()) {
                Path file = folder.resolve(entry.getName());
                Files.createDirectories(file.getParent());
                try (InputStream in = zip.getInputStream(entry)) {
                    Files.copy(in, file);
                }
            }
        }
    }

    private ServerProcess jetty(Path base, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of("-Djava.io.tmpdir=" + base, "-jar",
            Path.of(System.getProperty("millrace.jettyHome"), "start.jar").toString(), "jetty.base=" + base));
        command.addAll(List.of(arguments));
        return ServerProcess.java(base, command);
    }

    @AfterAll
    void stop() {
        if (server != null) {
            server.close();
        }
    }

    @Override
    List<String> urls() throws Exception {
        server.await("Started oejs\\.Server@");
        List<String> urls = new ArrayList<>();
        for (String connector : List.of("ServerConnector", "BioConnector", "NioConnector")) {
            String port = server.await("Started \\w+\\." + connector + "@.*:(\\d+)}").group(1);
            urls.add("http://127.0.0.1:" + port);
        }
        return urls;
    }
}
