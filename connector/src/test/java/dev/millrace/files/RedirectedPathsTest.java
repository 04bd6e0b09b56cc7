package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.RawClient.Answer;
import dev.millrace.testing.TestServer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.ResourceService.WelcomeMode;
import org.eclipse.jetty.server.handler.ContextHandler;
import org.eclipse.jetty.util.resource.ResourceFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A redirect to a name with letters that are not of ASCII, which a URI has percent-encoded (RFC 3986 section 2.1). */
class RedirectedPathsTest {
    /** "cafe" with an accent, and one that takes four bytes. */
    private static final String NAME = "caf\u00E9 \uD83D\uDE00";

    private static final String ENCODED = "caf%C3%A9%20%F0%9F%98%80";

    @TempDir
    Path directory;

    @BeforeEach
    void write() throws Exception {
        // By LC_ALL on Linux.
        Charset names = Charset.forName(System.getProperty("sun.jnu.encoding"));
        assumeTrue(names.newEncoder().canEncode(NAME), () -> "names of files are " + names);
        Files.writeString(Files.createDirectory(directory.resolve(NAME)).resolve("index.html"), "welcome");
    }

    private static void check(Handler handler, String path, String location) throws Exception {
        try (TestServer server = new TestServer(Connectors.NIO::http).start(handler);
                RawClient client = server.client()) {
            Answer answer = client.get(path).answer();
            assertEquals(302, answer.status(), path);
            assertEquals(location, answer.headers().get("Location"));
            assertEquals("welcome", client.get(location).answer().text());
        }
    }

    @Test
    void leadsToADirectory() throws Exception {
        check(Handlers.files(directory), "/" + ENCODED + "?a=%20b", "/" + ENCODED + "/?a=%20b");
    }

    @Test
    void leadsToADirectoryOfAContext() throws Exception {
        check(new ContextHandler(Handlers.files(directory), "/c"), "/c/" + ENCODED, "/c/" + ENCODED + "/");
    }

    @Test
    void leadsToAFileThatHasASlashBehindIt() throws Exception {
        check(Handlers.files(directory), "/" + ENCODED + "/index.html/", "/" + ENCODED + "/index.html");
    }

    private Path jarOf(String name) throws Exception {
        Path jar = directory.resolve(name + ".jar");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
            out.putNextEntry(new JarEntry(name));
            out.write("welcome".getBytes(StandardCharsets.UTF_8));
        }
        return jar;
    }

    @Test
    void leadsToAnEntryOfOneOfSeveralJars() throws Exception {
        SendfileHandler files = new SendfileHandler();
        ResourceFactory resources = ResourceFactory.of(files);
        files.setBaseResource(ResourceFactory.combine(
                resources.newResource(directory),
                resources.newJarFileResource(jarOf("a.txt").toUri()),
                resources.newJarFileResource(jarOf("b.txt").toUri())));
        check(files, "/b.txt/", "/b.txt");
    }

    /** A host would be what follows two slashes (RFC 3986 section 4.2). Jetty's handler leads there. */
    @Test
    void leadsToNoOtherHost() throws Exception {
        Files.createDirectory(directory.resolve("example.org"));
        HttpConfiguration configuration = new HttpConfiguration();
        configuration.setUriCompliance(UriCompliance.LEGACY);
        HttpConnectionFactory lenient = new HttpConnectionFactory(configuration);
        try (TestServer server = new TestServer(on -> Connectors.NIO.on(on, lenient)).start(Handlers.files(directory));
                RawClient client = server.client()) {
            for (String path : List.of("//example.org", "///example.org", "/.//example.org", "/;/example.org")) {
                Answer answer = client.get(path + "?a=//b").answer();
                assertEquals(302, answer.status(), path);
                assertEquals("/example.org/?a=//b", answer.headers().get("Location"), path);
            }
        }
    }

    @Test
    void leadsToAWelcomeFile() throws Exception {
        SendfileHandler files = Handlers.files(directory);
        files.setWelcomeMode(WelcomeMode.REDIRECT);
        check(files, "/" + ENCODED + "/", "/" + ENCODED + "/index.html");
    }
}
