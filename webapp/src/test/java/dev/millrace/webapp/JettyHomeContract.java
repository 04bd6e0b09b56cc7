package dev.millrace.webapp;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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
        JettyBase jetty = JettyBase.create(base, "http,millrace-bio,millrace-nio," + environment + "-deploy");
        server = jetty.start("jetty.http.host=127.0.0.1", "jetty.http.port=0", "millrace.bio.host=127.0.0.1",
            "millrace.bio.port=0", "millrace.nio.host=127.0.0.1", "millrace.nio.port=0");
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
