package dev.millrace.webapp;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The WAR in the real Jetty distribution, started by its own {@code start.jar}. */
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
        try (ServerProcess setup = jetty(base, "--add-modules=http," + environment + "-deploy")) {
            if (setup.exitCode() != 0) {
                throw new IOException("start.jar: " + setup.out() + setup.err());
            }
        }
        server = jetty(base, "jetty.http.host=127.0.0.1", "jetty.http.port=0");
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
        return List.of("http://127.0.0.1:" + server.await("Started oejs\\.ServerConnector.*:(\\d+)}").group(1));
    }
}
