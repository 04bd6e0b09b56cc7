package dev.millrace.examples.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;

/** The guide's code is that of this example, and its requests are answered as it says. */
class GuideTest {
    private static final Path GUIDE = Path.of("..", "..", "docs", "guides", "spring-boot.md");
    private static final Pattern CODE = Pattern.compile("(?ms)^```(?:java|xml|properties)\n(.*?)^```$");
    private static final Pattern MKDIR = Pattern.compile("(?m)^mkdir .*$");
    private static final Pattern CURL = Pattern.compile("(?m)^curl .*$");
    /** The example has its versions from the parent. */
    private static final Pattern VERSION = Pattern.compile("<version>.*</version>\n");

    @TempDir
    Path folder;

    private static String withoutIndent(String text) {
        return text.lines().map(String::strip).collect(Collectors.joining("\n", "", "\n"));
    }

    @Test
    void everyBlockOfCodeStandsHere() throws IOException {
        List<String> sources = new ArrayList<>(List.of(withoutIndent(Files.readString(Path.of("pom.xml")))));
        try (Stream<Path> files = Files.walk(Path.of("src", "main"))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                sources.add(withoutIndent(Files.readString(file)));
            }
        }
        List<String> blocks = CODE.matcher(Files.readString(GUIDE))
                .results()
                .map(block -> VERSION.matcher(withoutIndent(block.group(1))).replaceAll(""))
                .toList();
        assertEquals(5, blocks.size());
        for (String block : blocks) {
            assertTrue(sources.stream().anyMatch(source -> source.contains(block)), block);
        }
    }

    @Test
    void requestsAreAnswered() throws Exception {
        List<String> makesFiles = commands(MKDIR);
        assertEquals(1, makesFiles.size());
        run(makesFiles.get(0));
        try (var context = (ServletWebServerApplicationContext) SpringApplication.run(
                SpringExample.class,
                "--server.port=0",
                "--spring.main.banner-mode=off",
                "--logging.level.root=warn",
                "--spring.web.resources.static-locations=file:" + folder + "/static/",
                "--millrace.xsendfile.roots=" + folder + "/downloads")) {
            List<String> commands = commands(CURL);
            assertEquals(2, commands.size());
            for (String command : commands) {
                String head = run(
                        command.replace(":8080/", ":" + context.getWebServer().getPort() + "/"));
                assertTrue(head.contains("X-Millrace-Sendfile: "), head);
            }
        }
        assertEquals(-1, Files.mismatch(folder.resolve("static").resolve("large.bin"), folder.resolve("large.bin")));
        assertEquals(100, Files.size(folder.resolve("part.bin")));
    }

    private static List<String> commands(Pattern pattern) throws IOException {
        return pattern.matcher(Files.readString(GUIDE))
                .results()
                .map(found -> found.group())
                .toList();
    }

    private String run(String command) throws Exception {
        Process process = new ProcessBuilder("sh", "-c", command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        String head = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), head);
        return head;
    }
}
