package dev.millrace.webapp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The Jetty distribution on the module path ({@code start.jar --jpms}), where packages are closed by default. */
class JettyModulePathIT {
    private static final int BYTES = 100_000;

    // Behind Jetty's StatisticsHandler too: whether an EventsHandler looks at what is written is asked of a package
    // that is opened for that.
    @Test
    void bothConnectorsServeFiles(@TempDir Path base) throws Exception {
        JettyBase jetty = JettyBase.create(base, "millrace-bio,millrace-nio,millrace-files,static-deploy,statistics");
        Path files = Files.createDirectory(base.resolve("webapps/plain"));
        Files.write(files.resolve("file.bin"), new byte[BYTES]);
        Files.writeString(base.resolve("webapps/plain.properties"), "environment=static\n");
        try (ServerProcess server = jetty.startAnywhere("--jpms", "millrace.files.debugHeader=true")) {
            for (String connector : new String[] {"bio", "nio"}) {
                Http.Answer answer = Http.get(JettyBase.url(server, connector), "/plain/file.bin");
                assertEquals(200, answer.status(), connector);
                assertEquals(BYTES, answer.body().length, connector);
                assertEquals("yes", answer.header("X-Millrace-Sendfile"), connector);
            }
        }
    }
}
