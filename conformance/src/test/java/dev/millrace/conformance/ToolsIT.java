package dev.millrace.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/**
 * Tools of others find the same on every listener as on Jetty's own. Run with {@code -Pconformance}; a tool that {@code install-tools.sh} could
 * not install is skipped. Each tool has a time of its own, after which it is stopped.
 */
@Timeout(4 * 3600)
class ToolsIT {
    private static final Path TOOLS = Path.of("target/tools/bin").toAbsolutePath();
    private static final Path RESOURCES = Path.of("src/test/resources").toAbsolutePath();
    private static final boolean SHORT = !Boolean.getBoolean("conformance.long");
    private static final int RUNS = 3;
    private static final int MOST_MINUTES = SHORT ? 5 : 60;
    private static final Pattern AVAILABLE = Pattern.compile("service available:\\s+(\\w+)");
    private static final Pattern AUTOBAHN_CASE =
            Pattern.compile("\"([0-9.]+)\":\\s*\\{\\s*\"behavior\":\\s*\"([A-Z -]+)\"");
    private static final Pattern NOTE = Pattern.compile("\\* \\[(GOOD|WARN|BAD)] (.*)");

    @TempDir
    static Path files;

    @TempDir
    static Path keys;

    @TempDir
    Path reports;

    private static Listeners listeners;

    /** Runs a tool against one listener. */
    private interface Run {
        SortedMap<String, String> on(String listener, int port) throws Exception;
    }

    @BeforeAll
    static void start() throws Exception {
        // What it cannot install it says, and the tests of that are skipped.
        new ProcessBuilder("./install-tools.sh").inheritIO().start().waitFor();
        Files.writeString(files.resolve("small.txt"), "0123456789".repeat(10));
        Files.write(files.resolve("large.bin"), new byte[1 << 20]);
        listeners = new Listeners(files, key());
    }

    private static Path key() throws Exception {
        Path file = keys.resolve("key.p12");
        String printed = output(
                "",
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-keyalg",
                "EC",
                "-dname",
                "CN=localhost",
                "-ext",
                "san=dns:localhost,ip:127.0.0.1",
                "-storetype",
                "PKCS12",
                "-storepass",
                Listeners.PASSWORD,
                "-keystore",
                file.toString());
        assertTrue(Files.exists(file), printed);
        return file;
    }

    @AfterAll
    static void stop() throws Exception {
        listeners.close();
    }

    /** @return what was found on the control in the last run */
    private static Map<String, String> compare(String tool, int atLeast, Run run) throws Exception {
        return compare(tool, atLeast, listeners.ports(), run);
    }

    private static Map<String, String> compare(String tool, int atLeast, Map<String, Integer> ports, Run run)
            throws Exception {
        boolean isInstalled = Files.isExecutable(TOOLS.resolve(tool));
        if (!isInstalled) {
            System.out.println("== SKIPPED: " + tool + " is not installed");
        }
        assumeTrue(isInstalled, tool);
        Map<String, SortedMap<String, String>> results = onAll(ports, run);
        KnownDifferences known = KnownDifferences.load();
        List<String> faults = known.faults(tool, results);
        // Jetty's own connector has not the same result at each run: a fault is what is one each time.
        for (int i = 1; i < RUNS && !faults.isEmpty(); i++) {
            results = onAll(ports, run);
            List<String> again = known.faults(tool, results);
            faults = faults.stream().filter(again::contains).toList();
        }
        results.forEach(
                (listener, found) -> System.out.println("== " + tool + " on " + listener + ": " + count(found)));
        SortedMap<String, String> control = results.get(Listeners.CONTROL);
        assertTrue(control.size() >= atLeast, "cases: " + control.size());
        assertEquals(List.of(), faults);
        return control;
    }

    /** Runs it on all listeners at once: most of it is waiting, and each has a server of its own. */
    private static Map<String, SortedMap<String, String>> onAll(Map<String, Integer> ports, Run run) throws Exception {
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            Map<String, Future<SortedMap<String, String>>> runs = new LinkedHashMap<>();
            ports.forEach((listener, port) -> runs.put(listener, threads.submit(() -> run.on(listener, port))));
            Map<String, SortedMap<String, String>> results = new LinkedHashMap<>();
            for (Map.Entry<String, Future<SortedMap<String, String>>> one : runs.entrySet()) {
                results.put(one.getKey(), one.getValue().get());
            }
            return results;
        } finally {
            threads.shutdownNow();
        }
    }

    private static Map<String, Integer> count(SortedMap<String, String> found) {
        Map<String, Integer> counts = new TreeMap<>();
        found.values().forEach(result -> counts.merge(result.lines().findFirst().orElse(""), 1, Integer::sum));
        return counts;
    }

    /** What a tool prints, whatever its exit code: most have one for what they found. */
    private static String output(String stdin, String... command) throws Exception {
        Path output = Files.createTempFile("millrace-tool", ".log");
        try {
            Process process = new ProcessBuilder(command)
                    .directory(Path.of("target").toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            process.getOutputStream().write(stdin.getBytes(StandardCharsets.ISO_8859_1));
            process.getOutputStream().close();
            boolean ended = process.waitFor(MOST_MINUTES, TimeUnit.MINUTES);
            process.destroyForcibly();
            String text = Files.readString(output, StandardCharsets.ISO_8859_1);
            assertTrue(ended, text);
            return text;
        } finally {
            Files.delete(output);
        }
    }

    /** The test cases of a report in JUnit's form, each passed, failed or skipped. */
    private static SortedMap<String, String> cases(Path report, String printed) throws Exception {
        assertTrue(Files.exists(report), printed);
        NodeList all = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(report.toFile())
                .getElementsByTagName("testcase");
        SortedMap<String, String> cases = new TreeMap<>();
        for (int i = 0; i < all.getLength(); i++) {
            Element one = (Element) all.item(i);
            String name =
                    one.getAttribute("package") + " " + one.getAttribute("classname") + " " + one.getAttribute("name");
            cases.put(name.strip(), result(one));
        }
        return cases;
    }

    private static String result(Element testCase) {
        for (String result : new String[] {"failure", "error", "skipped"}) {
            if (testCase.getElementsByTagName(result).getLength() > 0) {
                return result;
            }
        }
        return "passed";
    }

    @Test
    void http2BySpecification() throws Exception {
        specified(listeners.ports());
    }

    @Test
    void http2OverTlsBySpecification() throws Exception {
        specified(listeners.securePorts(), "-t", "-k");
    }

    /** The answer comes late. An answer at once may end a stream before the frame comes that must be refused on it. */
    private void specified(Map<String, Integer> ports, String... options) throws Exception {
        compare("h2spec", 90, ports, (listener, port) -> {
            Path report = reports.resolve(listener + ".xml");
            List<String> command = new ArrayList<>(List.of(tool("h2spec"), "-h", "127.0.0.1", "-p", "" + port));
            command.addAll(List.of("-P", Listeners.LATER, "-o", "2", "-j", report.toString(), "--strict"));
            command.addAll(List.of(options));
            return cases(report, output("", command.toArray(String[]::new)));
        });
    }

    @Test
    void webSocketByAutobahn() throws Exception {
        compare("kosoku", 240, (listener, port) -> {
            Path report = reports.resolve(listener);
            List<String> command = new ArrayList<>(
                    List.of(tool("kosoku"), "-p", "4", "-o", report.toString(), "ws://127.0.0.1:" + port + "/ws"));
            if (SHORT) {
                // Large messages, and compressed ones: 270 cases, which take minutes.
                command.addAll(List.of("-x", "9.*", "-x", "12.*", "-x", "13.*"));
            }
            String printed = output("", command.toArray(String[]::new));
            Path index = report.resolve("index.json");
            assertTrue(Files.exists(index), printed);
            SortedMap<String, String> cases = new TreeMap<>();
            Matcher found = AUTOBAHN_CASE.matcher(Files.readString(index));
            while (found.find()) {
                cases.put(found.group(1), found.group(2));
            }
            return cases;
        });
    }

    @Test
    void serviceByItsDescription() throws Exception {
        described(description(), "schemathesis.toml");
    }

    /** The same without XML, in which wrong documents are not as a schema has them: here each must be refused. */
    @Test
    void serviceOfJsonByItsDescription() throws Exception {
        String xml = " +(text|application)/xml:\n +schema:\n +\\$ref: '#/components/schemas/Request'\n";
        String json = description().replaceAll(xml, "");
        assertFalse(json.equals(description()), "the description has XML requests");
        described(json, "schemathesis-json.toml");
    }

    private static String description() throws IOException {
        try (InputStream in = ToolsIT.class.getResourceAsStream("/META-INF/resources/openapi.yaml")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private void described(String text, String configuration) throws Exception {
        Path description = Files.writeString(reports.resolve("openapi.yaml"), text);
        Map<String, String> operations = compare("schemathesis", 2, (listener, port) -> {
            Path report = reports.resolve(listener + ".xml");
            String printed = output(
                    "",
                    tool("schemathesis"),
                    "--config-file=" + RESOURCES.resolve(configuration),
                    "run",
                    description.toString(),
                    "--url=http://127.0.0.1:" + port + "/uuids",
                    "--generation-deterministic",
                    "--seed=1",
                    "--workers=1",
                    "--max-examples=" + (SHORT ? 25 : 300),
                    "--no-color",
                    "--report-junit-path=" + report);
            return cases(report, printed);
        });
        // Not only the same: the service is as it says.
        assertEquals(Set.of("passed"), Set.copyOf(operations.values()), operations::toString);
    }

    @Test
    void answersByLint() throws Exception {
        // A process each: requests of all kinds as they are, and the first with more fields.
        List<String> requests = new ArrayList<>(List.of(
                "GET /small.txt",
                "HEAD /small.txt",
                "GET /large.bin",
                "GET /missing/",
                "GET /",
                "OPTIONS *",
                "TRACE /",
                "GET /uuids/generate-uuid",
                "GET /uuids/missing"));
        for (String field : List.of("Range: bytes=0-9", "If-None-Match: *", "Expect: x", "Content-Length: x")) {
            requests.add("GET /small.txt HTTP/1.1\r\n" + field);
        }
        compare("httplint", 30, (listener, port) -> {
            SortedMap<String, String> notes = new TreeMap<>();
            for (String request : requests) {
                String line = request.contains("\r\n") ? request : request + " HTTP/1.1";
                String answer = answer(port, line + "\r\nHost: localhost\r\nConnection: close\r\n\r\n");
                Matcher note = NOTE.matcher(output(answer, tool("httplint"), "-n"));
                while (note.find()) {
                    notes.merge(line.replace("\r\n", " ") + ": " + note.group(2), note.group(1), (a, b) -> a + b);
                }
            }
            return notes;
        });
    }

    private static String answer(int port, String request) throws IOException {
        try (Socket socket = new Socket("127.0.0.1", port)) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }

    @Test
    void slowPeers() throws Exception {
        int seconds = SHORT ? 8 : 60;
        Map<String, List<String>> modes = Map.of(
                "slow heads", List.of("-H", "-i", "1"),
                "slow content", List.of("-B", "-i", "1", "-s", "8192"),
                "ranges", List.of("-R", "-a", "1", "-b", "500"),
                "slow reads", List.of("-X", "-w", "1", "-y", "10", "-n", "1", "-z", "32", "-k", "3"));
        compare("slowhttptest", modes.size(), (listener, port) -> {
            SortedMap<String, String> available = new TreeMap<>();
            for (Map.Entry<String, List<String>> mode : modes.entrySet()) {
                List<String> command = new ArrayList<>(List.of(tool("slowhttptest")));
                command.addAll(mode.getValue());
                command.addAll(List.of(
                        "-c",
                        SHORT ? "150" : "400",
                        "-r",
                        "100",
                        "-l",
                        "" + seconds,
                        "-p",
                        "5",
                        "-u",
                        "http://127.0.0.1:" + port + "/large.bin"));
                // The last line that it prints of the service counts.
                String printed = output("", command.toArray(String[]::new)).replaceAll("\u001b\\[[0-9;]*m", "");
                String last = AVAILABLE
                        .matcher(printed)
                        .results()
                        .map(found -> found.group(1))
                        .reduce("unknown", (a, b) -> b);
                assertTrue(Stream.of("YES", "NO").anyMatch(last::equals), printed);
                available.put(mode.getKey(), last);
            }
            return available;
        });
    }

    private static String tool(String name) {
        return TOOLS.resolve(name).toString();
    }
}
