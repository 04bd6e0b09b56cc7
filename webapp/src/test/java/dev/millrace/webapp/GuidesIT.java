package dev.millrace.webapp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The pages in {@code docs/guides} can be followed by copying. */
class GuidesIT {
    private static final Path GUIDES = Path.of("..", "docs", "guides");
    private static final Path EXAMPLES = Path.of("..", "docs", "examples");

    /** Those that the module of their subject follows. */
    private static final Set<String> ELSEWHERE = Set.of("spring-boot.md");

    private static final List<String> PROGRAMS = List.of("bash", "curl", "python3", "unzip");

    static List<String> guides() throws Exception {
        try (Stream<Path> files = Files.list(GUIDES)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> !ELSEWHERE.contains(name))
                    .sorted()
                    .toList();
        }
    }

    @ParameterizedTest
    @MethodSource("guides")
    void canBeFollowed(String guide, @TempDir Path folder) throws Exception {
        for (String program : PROGRAMS) {
            assumeTrue(isThere(program), "no " + program + " on the path");
        }
        int commands = Guide.follow(GUIDES.resolve(guide), folder.toRealPath());
        boolean hasCommands = Files.readString(GUIDES.resolve(guide)).contains("```sh");
        assertEquals(hasCommands, commands > 0, guide);
    }

    private static boolean isThere(String program) {
        return Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(path -> Files.isExecutable(Path.of(path, program)));
    }

    @ParameterizedTest
    @MethodSource("guides")
    void beginsWithItsAnswer(String guide) throws Exception {
        List<String> lines = Files.readAllLines(GUIDES.resolve(guide));
        assertTrue(lines.get(0).startsWith("# "), guide);
        assertTrue(lines.get(2).matches("[A-Z`$].*"), lines.get(2));
    }

    @Test
    void everySettingOfJettysConnectorsHasItsCounterpart() throws Exception {
        String page = Files.readString(GUIDES.resolve("switching.md"));
        Set<String> missing = new TreeSet<>();
        for (String file : List.of("jetty-http.xml", "jetty-ssl.xml")) {
            String xml = Files.readString(Path.of(System.getProperty("millrace.jettyHome"), "etc", file));
            Matcher property = Pattern.compile("(?:property|Property name)=\"(jetty\\.[\\w.]+)\"")
                    .matcher(xml);
            while (property.find()) {
                String common = property.group(1).replace("jetty.ssl.", "jetty.http.");
                if (!page.contains("| `" + property.group(1) + "` |") && !page.contains("| `" + common + "` |")) {
                    missing.add(property.group(1));
                }
            }
        }
        assertEquals(Set.of(), missing);
        Set<String> ours = read(Path.of("..", "connector", "src", "main", "config", "etc"));
        Matcher row = Pattern.compile("`(millrace\\.[\\w.]+\\w)` \\|").matcher(page);
        while (row.find()) {
            assertTrue(ours.contains(row.group(1)), row.group(1));
        }
    }

    @Test
    void theVersionsAreThoseOfTheBuild() throws Exception {
        String page = Files.readString(GUIDES.resolve("versions.md"));
        String pom = Files.readString(Path.of("..", "pom.xml"));
        for (String product :
                List.of("jetty", "jetty.home", "jetty.oldest", "spring-boot", "spring-security", "javalin", "tomcat")) {
            String version = find("<" + product + ".version>(.*)</", pom);
            assertTrue(page.contains(" | " + version + " | "), product + " " + version);
        }
        assertTrue(page.contains(find("requireMavenVersion>\\s*<version>\\[([\\d.]+)", pom)), page);
    }

    private static Set<String> read(Path etc) throws Exception {
        try (Stream<Path> files = Files.list(etc)) {
            String all = files.map(GuidesIT::text).collect(Collectors.joining());
            return Pattern.compile("(?:property|Property name)=\"([\\w.]+)\"")
                    .matcher(all)
                    .results()
                    .map(result -> result.group(1))
                    .collect(Collectors.toSet());
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (java.io.IOException x) {
            throw new java.io.UncheckedIOException(x);
        }
    }

    /** The unit's command and the image's, and the health check of a server that they have started. */
    @Test
    void theFilesForOperatorsStartAServer(@TempDir Path folder) throws Exception {
        Path examples = EXAMPLES.resolve("jetty-base").toRealPath();
        Path base = Files.createDirectory(folder.resolve("base"));
        JettyBase jetty = JettyBase.create(base, "millrace-nio");
        String unit = Files.readString(examples.resolve("millrace-jetty.service"));
        String image = Files.readString(examples.resolve("Dockerfile"));
        String entry = find("ENTRYPOINT \\[(.*)]", image).replaceAll("[\",]+", " ");
        for (String command : List.of(find("ExecStart=(.*)", unit), entry)) {
            String here = command.replace("/usr/bin/java", "java")
                    .replace("${JETTY_HOME}", System.getProperty("millrace.jettyHome"))
                    .replace("/opt/jetty-home", System.getProperty("millrace.jettyHome"))
                    .strip();
            List<String> words = Stream.concat(
                            Stream.of(here.split("\\s+")).skip(1),
                            Stream.of("jetty.base=" + base, "millrace.nio.host=127.0.0.1", "millrace.nio.port=0"))
                    .toList();
            try (ServerProcess server = ServerProcess.java(base, words)) {
                String port = JettyBase.url(server, "nio").replaceAll(".*:", "");
                assertEquals(0, health(folder, examples, port, "/"), "an answer");
                server.terminate();
                assertEquals(143, server.exitCode());
                assertTrue(unit.contains("SuccessExitStatus=143"), unit);
                assertNotEquals(0, health(folder, examples, port, "/"), "no answer");
            }
        }
        assertTrue(image.contains("healthcheck.sh"), image);
        assertEquals(base, jetty.folder());
    }

    /** The page of troubles has jcmd write what was recorded. */
    @ParameterizedTest
    @ValueSource(strings = {"millrace.service", "jetty-base/millrace-jetty.service"})
    void theUnitsAllowWhatJcmdNeeds(String unit) throws Exception {
        assertTrue(Files.readString(GUIDES.resolve("troubleshooting.md")).contains("jcmd $pid"));
        String families = find("RestrictAddressFamilies=(.*)", Files.readString(EXAMPLES.resolve(unit)));
        assertTrue(List.of(families.split(" ")).contains("AF_UNIX"), families);
    }

    private static int health(Path folder, Path examples, String port, String path) throws Exception {
        try (ServerProcess check = ServerProcess.command(
                folder, List.of("bash", examples.resolve("healthcheck.sh").toString(), "127.0.0.1", port, path))) {
            return check.exitCode();
        }
    }

    private static String find(String regex, String text) {
        Matcher matcher = Pattern.compile(regex).matcher(text);
        assertTrue(matcher.find(), regex);
        return matcher.group(1);
    }
}
