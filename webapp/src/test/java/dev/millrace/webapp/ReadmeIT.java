package dev.millrace.webapp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands in the README's section on the sample application print what the section shows. */
class ReadmeIT {
    private static final String UUID = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}";

    @Test
    void everyLineOfCurlPrintsWhatIsWritten(@TempDir Path folder) throws Exception {
        boolean hasCurl = Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(path -> Files.isExecutable(Path.of(path, "curl")));
        assumeTrue(hasCurl, "no curl on the path");
        List<String> section = section();
        try (ServerProcess server = ServerProcess.war(folder, "--bio-port=0", "--nio-port=0", "--stock-port=0")) {
            int commands = 0;
            for (int i = 0; i < section.size(); i++) {
                if (section.get(i).startsWith("$ curl ")) {
                    List<String> written = new ArrayList<>();
                    for (int j = i + 1; !section.get(j).matches("(\\$ |```).*"); j++) {
                        written.add(section.get(j).replaceAll(UUID, "UUID"));
                    }
                    assertEquals(written, run(folder, server, section.get(i).substring(2)), section.get(i));
                    commands++;
                }
            }
            assertTrue(commands >= 7, commands + " commands in the README");
        }
        assertEquals(1 << 20, Files.size(folder.resolve("1MB.bin")));
    }

    private static List<String> section() throws Exception {
        List<String> readme = Files.readAllLines(Path.of("..", "README.md"));
        int begin = readme.indexOf("## The sample application");
        int end = begin + 1;
        while (!readme.get(end).startsWith("## ")) {
            end++;
        }
        return readme.subList(begin, end);
    }

    /** The text with the server's ports in place of the written ones. */
    private static List<String> run(Path folder, ServerProcess server, String written) throws Exception {
        String command = written.replace("http://127.0.0.1:8080", server.url("BIO"))
                .replace("http://127.0.0.1:8081", server.url("NIO"))
                .replace("http://127.0.0.1:8082", server.url("STOCK"));
        try (ServerProcess shell = ServerProcess.command(folder, List.of("sh", "-c", command))) {
            assertEquals(0, shell.exitCode(), () -> command + ": " + shell.err());
            return shell.out().stream()
                    .map(line -> line.replaceAll(UUID, "UUID"))
                    .toList();
        }
    }
}
