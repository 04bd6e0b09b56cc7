package dev.millrace.examples.spring;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example in a JVM of its own, with Spring Security or Tomcat beside the starter on its class path. */
class BesideOthersTest {
    private static final Pattern STARTED = Pattern.compile("(\\w+) started on port (\\d+) ");
    private static final String PASSWORD =
            "Basic " + Base64.getEncoder().encodeToString("me:secret".getBytes(StandardCharsets.US_ASCII));

    private final byte[] bytes = new byte[200_000];

    @TempDir
    Path folder;

    /** Ends the application. */
    private record Application(Process process, BufferedReader out) implements AutoCloseable {
        /** @return what has started, and its port */
        Matcher started() throws IOException {
            StringBuilder read = new StringBuilder();
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                Matcher started = STARTED.matcher(line);
                if (started.find()) {
                    return started;
                }
                read.append(line).append('\n');
            }
            throw new AssertionError(read.toString());
        }

        @Override
        public void close() {
            process.destroyForcibly();
        }
    }

    private void writeFiles() throws IOException {
        new Random(1).nextBytes(bytes);
        for (String directory : new String[] {"static", "downloads"}) {
            Files.write(Files.createDirectory(folder.resolve(directory)).resolve("file.bin"), bytes);
        }
    }

    /** @param beside the folder in {@code target} whose jars come first on the class path */
    private Application start(String beside, String... options) throws IOException {
        String classPath = Path.of("target", beside) + File.separator + "*" + File.pathSeparator
                + System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                classPath,
                SpringExample.class.getName(),
                "--server.port=0",
                "--spring.main.banner-mode=off",
                "--spring.web.resources.static-locations=file:" + folder + "/static/",
                "--millrace.xsendfile.roots=" + folder + "/downloads"));
        command.addAll(List.of(options));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        return new Application(process, process.inputReader(StandardCharsets.UTF_8));
    }

    private static HttpResponse<byte[]> get(String port, String path, String... fields) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + path));
        if (fields.length > 0) {
            request.headers(fields);
        }
        return HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
    }

    /** Spring Security asks for a password, and sets its fields when an answer is about to be committed. */
    @Test
    void filesBehindSpringSecurityGoByTheKernel() throws Exception {
        writeFiles();
        try (Application application =
                start("security", "--spring.security.user.name=me", "--spring.security.user.password=secret")) {
            String port = application.started().group(2);
            for (String path : new String[] {"/file.bin", "/downloads/file.bin"}) {
                HttpResponse<byte[]> refused = get(port, path);
                assertEquals(401, refused.statusCode(), path);
                assertEquals(Optional.empty(), refused.headers().firstValue("X-Millrace-Sendfile"), path);
                HttpResponse<byte[]> whole = get(port, path, "Authorization", PASSWORD);
                assertArrayEquals(bytes, whole.body(), path);
                assertSent(200, whole);
                HttpResponse<byte[]> range = get(port, path, "Authorization", PASSWORD, "Range", "bytes=1-150000");
                assertEquals(150_000, range.body().length, path);
                assertSent(206, range);
            }
        }
    }

    private static void assertSent(int status, HttpResponse<byte[]> answer) {
        String fields = answer.headers().toString();
        assertEquals(status, answer.statusCode(), fields);
        assertEquals(Optional.of("yes"), answer.headers().firstValue("X-Millrace-Sendfile"), fields);
        assertEquals(Optional.of("nosniff"), answer.headers().firstValue("X-Content-Type-Options"), fields);
        assertEquals(Optional.empty(), answer.headers().firstValue("X-Sendfile"), fields);
    }

    /** As where nobody has excluded it: Spring Boot asks for Jetty first. */
    @Test
    void jettyGoesBeforeTomcat() throws Exception {
        writeFiles();
        try (Application application = start("tomcat")) {
            Matcher started = application.started();
            assertEquals("Jetty", started.group(1));
            HttpResponse<byte[]> answer = get(started.group(2), "/file.bin");
            assertArrayEquals(bytes, answer.body());
            assertEquals(Optional.of("yes"), answer.headers().firstValue("X-Millrace-Sendfile"));
        }
    }
}
