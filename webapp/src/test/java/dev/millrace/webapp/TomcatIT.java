package dev.millrace.webapp;

import static org.junit.jupiter.api.Assertions.assertTrue;

import jakarta.annotation.PostConstruct;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.catalina.startup.Tomcat;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The WAR in Tomcat 11, where everything works except sendfile. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TomcatIT extends DeployedContract {
    private ServerProcess server;

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        Files.createDirectory(folder.resolve("webapps"));
        String classPath = Stream.of(TomcatServer.class, Tomcat.class, PostConstruct.class)
                .map(type -> Path.of(type.getProtectionDomain()
                                .getCodeSource()
                                .getLocation()
                                .getPath())
                        .toString())
                .collect(Collectors.joining(File.pathSeparator));
        server = ServerProcess.java(
                folder,
                List.of(
                        "-cp",
                        classPath,
                        TomcatServer.class.getName(),
                        System.getProperty("millrace.war"),
                        folder.toString()));
    }

    @AfterAll
    void stop() {
        if (server != null) {
            server.close();
        }
    }

    @Override
    Delivered delivered() {
        return Delivered.STREAMED;
    }

    @Test
    void statsShowThatNoConnectorIsMillraces() throws Exception {
        String stats = Http.get(server.url("Tomcat"), "/stats").text();
        assertTrue(stats.contains("\"millrace\":false,\"sendfile\":false"), stats);
    }

    @Override
    List<String> urls() throws Exception {
        return List.of(server.url("Tomcat"));
    }
}
