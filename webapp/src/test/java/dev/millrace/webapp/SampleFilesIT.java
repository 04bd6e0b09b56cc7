package dev.millrace.webapp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files in {@code docs/examples} for operators of the sample application. */
class SampleFilesIT {
    private static final Path EXAMPLES = Path.of("..", "docs", "examples");

    @Test
    void theCommandsOfTheImageAndOfTheUnitStartIt(@TempDir Path folder) throws Exception {
        Path files = Files.createDirectory(folder.resolve("files"));
        Files.writeString(files.resolve("a.txt"), "a file");
        String image = Files.readString(EXAMPLES.resolve("Dockerfile"));
        String unit = Files.readString(EXAMPLES.resolve("millrace.service"));
        // What docker makes of the two: one command.
        String run = (find("ENTRYPOINT \\[(.*)]", image) + " " + find("CMD \\[(.*)]", image)).replaceAll("[\",]+", " ");
        for (String command : List.of(run, find("ExecStart=(.*)", unit))) {
            String here = command.strip()
                    .replaceFirst("^\\S*java +", "")
                    .replaceAll("/srv/\\w+", Matcher.quoteReplacement(files.toString()))
                    .replace("/opt/millrace/millrace.war", System.getProperty("millrace.war"))
                    .replace("0.0.0.0", "127.0.0.1");
            List<String> words = Stream.concat(
                            Stream.of("-Djava.io.tmpdir=" + folder),
                            Stream.concat(Stream.of(here.split("\\s+")), Stream.of("--bio-port=0", "--nio-port=0")))
                    .toList();
            try (ServerProcess server = ServerProcess.java(folder, words)) {
                assertEquals(
                        "a file", Http.get(server.url("NIO"), "/files/a.txt").text(), here);
                server.terminate();
                assertEquals(143, server.exitCode());
            }
        }
        assertTrue(unit.contains("SuccessExitStatus=143"), unit);
    }

    private static String find(String regex, String text) {
        Matcher matcher = Pattern.compile(regex).matcher(text);
        assertTrue(matcher.find(), regex);
        return matcher.group(1);
    }
}
