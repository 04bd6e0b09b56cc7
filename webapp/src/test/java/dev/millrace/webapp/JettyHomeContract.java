package dev.millrace.webapp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The WAR in the Jetty distribution, started by {@code start.jar}, with Jetty's connector and those of Millrace. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class JettyHomeContract extends DeployedContract {
    private final String environment;
    private final String[] modules;
    private ServerProcess server;

    /** @param modules modules for files, in addition to those of the connectors */
    JettyHomeContract(String environment, String... modules) {
        this.environment = environment;
        this.modules = modules;
    }

    @BeforeAll
    void start(@TempDir Path base) throws Exception {
        Files.copy(
                Path.of(System.getProperty("millrace.war")),
                Files.createDirectory(base.resolve("webapps")).resolve("ROOT.war"));
        Path files = Files.createDirectory(base.resolve("files"));
        SampleFiles.write(files);
        JettyBase jetty = JettyBase.create(
                base,
                "http,millrace-bio,millrace-nio," + environment + "-deploy"
                        + (modules.length == 0 ? "" : "," + String.join(",", modules)));
        server = jetty.startAnywhere(
                "-Dmillrace.files=" + files.toRealPath(), "millrace.xsendfile.roots=" + files.toRealPath());
    }

    @AfterAll
    void stop() {
        if (server != null) {
            server.close();
        }
    }

    boolean has(String module) {
        return List.of(modules).contains(module);
    }

    @Override
    Delivered delivered() {
        return has("millrace-xsendfile") ? Delivered.BY_X_SENDFILE : Delivered.STREAMED;
    }

    @Override
    List<String> urls() throws Exception {
        List<String> urls = new ArrayList<>();
        for (String connector : List.of("ServerConnector", "bio", "nio")) {
            urls.add(JettyBase.url(server, connector));
        }
        return urls;
    }

    @Test
    void showsTheFiguresOfEachConnector() throws Exception {
        for (String url : urls()) {
            String stats = Http.get(url, "/stats").text();
            assertTrue(stats.contains("\"millrace\":true"), stats);
            assertTrue(stats.contains("\"sendfile\":" + (modules.length > 0)), stats);
            for (String listener : List.of("bio", "nio", "ServerConnector")) {
                assertTrue(stats.contains("\"name\":\"" + listener + "\""), stats);
            }
        }
    }

    @Test
    void filesGoBySendfileWithTheModulesAlone() throws Exception {
        for (String listener : List.of("bio", "nio")) {
            String url = JettyBase.url(server, listener);
            for (String target : List.of("/files/1MB.bin", "/download?name=1MB.bin")) {
                boolean isSent = target.startsWith("/files") ? modules.length > 0 : has("millrace-xsendfile");
                long before = figure(Http.get(url, "/stats").text(), listener, "bytesBySendfile");
                assertEquals(1 << 20, Http.get(url, target).body().length);
                awaitFigure(url, listener, "bytesBySendfile", before + (isSent ? 1 << 20 : 0));
            }
        }
    }
}
