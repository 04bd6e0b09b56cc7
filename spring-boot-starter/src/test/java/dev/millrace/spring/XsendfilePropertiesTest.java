package dev.millrace.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Files that controllers name, below the directories of the properties. */
class XsendfilePropertiesTest {
    @Configuration
    @Import(HelloApplication.class)
    static class Downloads {
        @Bean
        Controller controller() {
            return new Controller();
        }
    }

    @RestController
    static class Controller {
        @GetMapping("/download")
        ResponseEntity<Void> download(@RequestParam("field") String field, @RequestParam("value") String value) {
            return ResponseEntity.ok().header(field, value).build();
        }
    }

    @Test
    void rootsAndMappingsAreDirectories(@TempDir Path folder) throws Exception {
        String text = "download ".repeat(20_000);
        Files.writeString(folder.resolve("a.txt"), text);
        for (String files : new String[] {"true", "false"}) {
            try (RunningApp app = RunningApp.start(
                    Downloads.class,
                    "--millrace.files.enabled=" + files,
                    "--millrace.files.debug-header=true",
                    "--millrace.xsendfile.roots=" + folder,
                    "--millrace.xsendfile.mappings[/protected/]=" + folder)) {
                for (String named :
                        new String[] {"X-Sendfile&value=" + folder + "/a.txt", "X-Accel-Redirect&value=/protected/a.txt"
                        }) {
                    HttpResponse<String> answer = app.get("/download?field=" + named);
                    assertEquals(200, answer.statusCode(), named);
                    assertEquals(text, answer.body(), named);
                    assertEquals(Optional.of("yes"), answer.headers().firstValue("X-Millrace-Sendfile"), named);
                }
                assertEquals(
                        404,
                        app.get("/download?field=X-Sendfile&value=/etc/hostname")
                                .statusCode());
            }
        }
    }

    @Test
    void typesOfFilesAreThoseOfTheServer(@TempDir Path folder) throws Exception {
        Files.writeString(folder.resolve("a.own"), "own");
        try (RunningApp app = RunningApp.start(
                Downloads.class,
                "--server.mime-mappings.own=application/x-own",
                "--millrace.xsendfile.roots=" + folder)) {
            HttpResponse<String> answer = app.get("/download?field=X-Sendfile&value=" + folder + "/a.own");
            assertEquals("own", answer.body());
            assertEquals(Optional.of("application/x-own"), answer.headers().firstValue("Content-Type"));
        }
    }
}
