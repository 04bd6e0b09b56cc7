package dev.millrace.release;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPath;
import javax.xml.xpath.XPathFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.w3c.dom.Document;

/**
 * What the profile release has staged keeps the rules of Maven Central
 * (https://central.sonatype.org/publish/requirements/), for each artifact that the BOM lists, and for the BOM.
 */
class StagingIT {
    private static final Path STAGING = Path.of(System.getProperty("staging"), "dev", "millrace");
    private static final String VERSION = System.getProperty("version");
    private static final String BOM = "millrace-bom";

    /** The artifacts that the BOM lists, and the BOM itself. */
    static Set<String> artifacts() throws Exception {
        Document bom = xml(file(BOM, ".pom"));
        Set<String> artifacts = new TreeSet<>(Set.of(BOM));
        int dependencies = Integer.parseInt(text(bom, "count(" + path("dependencyManagement", "dependencies") + "/*)"));
        for (int i = 1; i <= dependencies; i++) {
            String dependency = path("dependencyManagement", "dependencies") + "/*[" + i + "]";
            assertEquals("dev.millrace", text(bom, dependency + "/*[local-name()='groupId']"));
            assertEquals(VERSION, text(bom, dependency + "/*[local-name()='version']"));
            artifacts.add(text(bom, dependency + "/*[local-name()='artifactId']"));
        }
        assertTrue(artifacts.contains("millrace-connector"), artifacts::toString);
        return artifacts;
    }

    @Test
    void nothingElseIsStaged() throws Exception {
        try (Stream<Path> staged = Files.list(STAGING)) {
            assertEquals(
                    artifacts(),
                    staged.map(folder -> folder.getFileName().toString())
                            .collect(Collectors.toCollection(TreeSet::new)));
        }
    }

    @ParameterizedTest
    @MethodSource("artifacts")
    void thePomSaysWhatCentralAsksFor(String artifact) throws Exception {
        Document pom = xml(file(artifact, ".pom"));
        assertEquals("dev.millrace", text(pom, path("groupId")));
        assertEquals(artifact, text(pom, path("artifactId")));
        assertEquals(VERSION, text(pom, path("version")));
        for (String[] element : new String[][] {
            {"name"},
            {"description"},
            {"url"},
            {"licenses", "license", "name"},
            {"licenses", "license", "url"},
            {"developers", "developer", "name"},
            {"scm", "connection"},
            {"scm", "developerConnection"},
            {"scm", "url"}
        }) {
            assertFalse(text(pom, path(element)).isBlank(), String.join("/", element));
        }
        for (String element : List.of("parent", "repositories", "build", "profiles", "properties", "modules")) {
            assertEquals("", text(pom, path(element)), element);
        }
        String all = Files.readString(file(artifact, ".pom"));
        assertFalse(all.contains("${"), all);
        assertTrue(VERSION.endsWith("-SNAPSHOT") || !all.contains("SNAPSHOT"), all);
    }

    @ParameterizedTest
    @MethodSource("artifacts")
    void eachJarHasItsSourcesAndItsDocumentation(String artifact) throws Exception {
        if (text(xml(file(artifact, ".pom")), path("packaging")).equals("pom")) {
            return;
        }
        Set<String> classes = classesOf(file(artifact, ".jar"));
        Set<String> sources = entries(file(artifact, "-sources.jar"));
        assertFalse(classes.isEmpty());
        for (String name : classes) {
            String source = name.replaceAll("(\\$.*)?\\.class$", ".java");
            assertTrue(sources.contains(source), source);
        }
        assertTrue(entries(file(artifact, "-javadoc.jar")).contains("index.html"));
        try (JarFile jar = new JarFile(file(artifact, ".jar").toFile())) {
            assertEquals(VERSION, jar.getManifest().getMainAttributes().getValue("Implementation-Version"));
        }
    }

    private static Set<String> classesOf(Path jar) throws IOException {
        return entries(jar).stream().filter(name -> name.endsWith(".class")).collect(Collectors.toSet());
    }

    private static Set<String> entries(Path jar) throws IOException {
        try (JarFile file = new JarFile(jar.toFile())) {
            return file.stream().map(entry -> entry.getName()).collect(Collectors.toSet());
        }
    }

    @ParameterizedTest
    @MethodSource("artifacts")
    void theBillOfMaterialsNamesTheArtifactAndItsDependencies(String artifact) throws Exception {
        JsonNode json =
                new ObjectMapper().readTree(file(artifact, "-cyclonedx.json").toFile());
        assertEquals("CycloneDX", json.get("bomFormat").asText());
        assertEquals(artifact, json.at("/metadata/component/name").asText());
        assertNotNull(xml(file(artifact, "-cyclonedx.xml")));
        if (artifact.equals("millrace-connector")) {
            List<String> components = new ArrayList<>();
            json.get("components")
                    .forEach(component -> components.add(component.get("name").asText()));
            assertTrue(components.containsAll(List.of("jetty-server", "caffeine")), components::toString);
            assertFalse(components.contains("junit-jupiter"), components::toString);
        }
    }

    @ParameterizedTest
    @MethodSource("artifacts")
    void eachFileHasItsChecksumsAndASignatureThatHolds(String artifact) throws Exception {
        int signed = 0;
        for (Path file : files(artifact)) {
            String name = file.getFileName().toString();
            if (name.matches(".*\\.(md5|sha1|asc)") || name.startsWith("maven-metadata")) {
                continue;
            }
            assertEquals(digest("MD5", file), Files.readString(Path.of(file + ".md5")));
            assertEquals(digest("SHA-1", file), Files.readString(Path.of(file + ".sha1")));
            Process gpg = new ProcessBuilder("gpg", "--batch", "--verify", file + ".asc", file.toString())
                    .redirectErrorStream(true)
                    .start();
            String output = new String(gpg.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertEquals(0, gpg.waitFor(), output);
            signed++;
        }
        assertTrue(signed >= 3, signed + " files");
    }

    private static String digest(String algorithm, Path file) throws Exception {
        return HexFormat.of().formatHex(MessageDigest.getInstance(algorithm).digest(Files.readAllBytes(file)));
    }

    @ParameterizedTest
    @MethodSource("artifacts")
    void nothingNamesTheMachineThatBuiltIt(String artifact) throws Exception {
        String home = System.getProperty("user.dir");
        for (Path file : files(artifact)) {
            if (file.toString().matches(".*\\.(pom|json|xml)")) {
                assertFalse(Files.readString(file).contains(home), file + " names " + home);
            }
        }
    }

    private static List<Path> files(String artifact) throws IOException {
        try (Stream<Path> files = Files.list(STAGING.resolve(artifact).resolve(VERSION))) {
            return files.sorted().toList();
        }
    }

    /** A staged file of an artifact; of a snapshot the newest. */
    private static Path file(String artifact, String suffix) {
        String base = artifact + "-" + VERSION.replace("-SNAPSHOT", "");
        String stamp = VERSION.endsWith("-SNAPSHOT") ? "-[\\d.]+-\\d+" : "";
        try {
            List<Path> found = files(artifact).stream()
                    .filter(file -> file.getFileName()
                            .toString()
                            .matches("\\Q" + base + "\\E" + stamp + "\\Q" + suffix + "\\E"))
                    .toList();
            assertFalse(found.isEmpty(), base + stamp + suffix + " among " + files(artifact));
            return found.get(found.size() - 1);
        } catch (IOException x) {
            throw new UncheckedIOException(x);
        }
    }

    private static Document xml(Path file) throws Exception {
        DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
        factory.setNamespaceAware(true);
        return factory.newDocumentBuilder().parse(file.toFile());
    }

    private static String path(String... elements) {
        return "/*/"
                + Stream.of(elements)
                        .map(element -> "*[local-name()='" + element + "']")
                        .collect(Collectors.joining("/"));
    }

    private static String text(Document document, String path) throws Exception {
        XPath xpath = XPathFactory.newInstance().newXPath();
        return xpath.evaluate(path, document).strip();
    }
}
