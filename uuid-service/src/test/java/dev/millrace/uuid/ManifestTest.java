package dev.millrace.uuid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor.Version;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.jar.Attributes;
import java.util.jar.Manifest;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The OSGi headers of the manifest, as Jetty's bundles have them. */
class ManifestTest {
    /** A package and its parameters, between commas outside of quotes. */
    private static final Pattern CLAUSE = Pattern.compile("([\\w.]+)((?:;[\\w.:-]+=(?:\"[^\"]*\"|[^,;]*))*)(?:,|$)");

    private static final Pattern VERSION = Pattern.compile(";version=\"([^\"]*)\"");
    private static final Pattern RANGE = Pattern.compile("\\[([\\d.]+),([\\d.]+)\\)");

    private Attributes headers;

    @BeforeEach
    void read() throws Exception {
        Path classes = Path.of(UuidServlet.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        try (InputStream in = Files.newInputStream(classes.resolve("META-INF/MANIFEST.MF"))) {
            headers = new Manifest(in).getMainAttributes();
        }
    }

    @Test
    void theBundleIsNamedAsTheModule() {
        assertEquals("2", headers.getValue("Bundle-ManifestVersion"));
        assertEquals("dev.millrace.uuid", headers.getValue("Bundle-SymbolicName"));
        assertTrue(headers.getValue("Bundle-Version").matches("\\d+\\.\\d+\\.\\d+(\\.\\w+)?"));
        assertEquals("osgi.ee;filter:=\"(&(osgi.ee=JavaSE)(version=17))\"", headers.getValue("Require-Capability"));
        assertFalse(headers.containsKey(new Attributes.Name("Automatic-Module-Name")), "the module has a descriptor");
    }

    @Test
    void theServletsPackageIsExportedAndNoOther() {
        Map<String, String> exported = clauses("Export-Package", headers);
        assertEquals(Set.of("dev.millrace.uuid"), exported.keySet());
        assertTrue(headers.getValue("Bundle-Version").startsWith(exported.get("dev.millrace.uuid")));
    }

    @Test
    void everyServletApiFrom6IsAccepted() {
        Map<String, String> imported = clauses("Import-Package", headers);
        assertEquals("[6.0,7)", imported.get("jakarta.servlet"));
        assertEquals("[6.0,7)", imported.get("jakarta.servlet.http"));
    }

    @Test
    void theAnnotationsThatOnlyTheCompilerReadsAreNotImported() {
        assertFalse(headers.getValue("Import-Package").contains("org.jspecify"), headers.getValue("Import-Package"));
    }

    @Test
    void librariesExportWhatIsImported() throws IOException {
        Map<String, String> available = new TreeMap<>();
        for (URL url : Collections.list(getClass().getClassLoader().getResources("META-INF/MANIFEST.MF"))) {
            try (InputStream in = url.openStream()) {
                available.putAll(clauses("Export-Package", new Manifest(in).getMainAttributes()));
            }
        }
        Map<String, String> imported = clauses("Import-Package", headers);
        imported.keySet().removeIf(name -> name.matches("javax?\\..*"));
        assertTrue(
                imported.keySet().containsAll(Set.of("com.fasterxml.uuid", "org.codehaus.staxmate")),
                imported.toString());
        imported.forEach((name, range) -> {
            Matcher bounds = RANGE.matcher(range);
            assertTrue(bounds.matches(), name + " " + range);
            assertTrue(available.containsKey(name), name);
            Version version = Version.parse(available.get(name));
            assertTrue(version.compareTo(Version.parse(bounds.group(1))) >= 0, name + " " + version);
            assertTrue(version.compareTo(Version.parse(bounds.group(2))) < 0, name + " " + version);
        });
    }

    /** Versions by package; empty for a package without one. */
    private static Map<String, String> clauses(String header, Attributes attributes) {
        Map<String, String> clauses = new LinkedHashMap<>();
        Matcher clause = CLAUSE.matcher(attributes.getValue(header) == null ? "" : attributes.getValue(header));
        while (clause.find()) {
            Matcher version = VERSION.matcher(clause.group(2));
            clauses.put(clause.group(1), version.find() ? version.group(1) : "");
        }
        return clauses;
    }
}
