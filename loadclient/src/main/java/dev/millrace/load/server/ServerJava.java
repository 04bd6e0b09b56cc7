package dev.millrace.load.server;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The Java runtime that starts servers. Immutable.
 *
 * @param program its executable
 * @param feature its feature version, such as 17
 * @param version name and version of its JVM
 */
record ServerJava(String program, int feature, String version) {

    /** The runtime of this JVM. */
    static ServerJava current() {
        return new ServerJava(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                Runtime.version().feature(),
                System.getProperty("java.vm.name") + " " + Runtime.version());
    }

    /**
     * Another runtime, given by its executable or its home.
     *
     * @throws IOException if it cannot be run, or does not print its version; the message is for people
     */
    static ServerJava of(Path given) throws IOException, InterruptedException {
        Path program = given.resolve("bin").resolve("java").toFile().canExecute()
                ? given.resolve("bin").resolve("java")
                : given;
        Process process = new ProcessBuilder(program.toString(), "-XshowSettings:properties", "-version")
                .redirectErrorStream(true)
                .start();
        process.getOutputStream().close();
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            Map<String, String> properties = lines.lines()
                    .map(line -> line.strip().split(" = ", 2))
                    .filter(parts -> parts.length == 2)
                    .collect(Collectors.toMap(parts -> parts[0], parts -> parts[1], (first, second) -> first));
            String specification = properties.get("java.specification.version");
            if (process.waitFor() != 0 || specification == null || !specification.matches("\\d+")) {
                throw new IOException(program + " is no Java of version 17 or newer");
            }
            return new ServerJava(
                    program.toString(),
                    Integer.parseInt(specification),
                    properties.get("java.vm.name") + " " + properties.get("java.runtime.version"));
        }
    }

    /** The command that runs a jar. */
    List<String> jar(Path jar, String... jvmOptions) {
        List<String> command = new ArrayList<>();
        command.add(program);
        command.addAll(List.of(jvmOptions));
        command.add("-jar");
        command.add(jar.toString());
        return command;
    }
}
