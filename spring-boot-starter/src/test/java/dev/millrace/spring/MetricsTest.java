package dev.millrace.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** What Prometheus scrapes of an application, and the dashboard that shows it. */
class MetricsTest {
    private static final Path DASHBOARD = Path.of("..", "docs", "examples", "grafana-dashboard.json");
    private static final Path ALERTS = Path.of("..", "docs", "examples", "alerts.yml");
    private static final Path PAGE = Path.of("..", "docs", "metrics.md");
    private static final String SENT = "millrace_sent_bytes_total{connector=\"nio\",way=\"sendfile\"}";
    private static final Pattern NAME = Pattern.compile("millrace_\\w+");

    @TempDir
    Path folder;

    @BeforeEach
    void write() throws Exception {
        Files.writeString(folder.resolve("large.bin"), "a".repeat(200_000));
    }

    private RunningApp start(String... options) {
        String[] all = java.util.Arrays.copyOf(options, options.length + 2);
        all[options.length] = "--management.endpoints.web.exposure.include=prometheus";
        all[options.length + 1] = "--spring.web.resources.static-locations=file:" + folder + "/";
        return RunningApp.start(HelloApplication.class, all);
    }

    private static double value(String scraped, String line) {
        return scraped.lines()
                .filter(found -> found.startsWith(line + " "))
                .mapToDouble(found -> Double.parseDouble(found.substring(line.length() + 1)))
                .findFirst()
                .orElseThrow(() -> new AssertionError(line + " is not in:\n" + scraped));
    }

    /** Scrapes until so much is counted as sent: a client has an answer's last byte before the server has counted it. */
    private static String scrapedWhenSent(RunningApp app, long bytes) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        String scraped;
        do {
            scraped = app.get("/actuator/prometheus").body();
        } while (value(scraped, SENT) < bytes && System.nanoTime() < end);
        return scraped;
    }

    private static Set<String> names(String text) {
        return NAME.matcher(text).results().map(found -> found.group()).collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void prometheusScrapesThem() throws Exception {
        try (RunningApp app = start("--server.jetty.max-connections=50")) {
            app.get("/large.bin");
            String scraped = scrapedWhenSent(app, 200_000);
            assertEquals(200_000, value(scraped, SENT));
            assertEquals(1, value(scraped, "millrace_files_answers_total{reason=\"none\",way=\"sendfile\"}"), scraped);
            assertTrue(value(scraped, "millrace_connections{connector=\"nio\"}") >= 1);
            Set<String> scrapedNames = names(scraped);
            Set<String> shown = names(Files.readString(DASHBOARD));
            assertFalse(shown.isEmpty());
            assertTrue(scrapedNames.containsAll(shown), () -> shown + " is more than " + scrapedNames);
        }
    }

    @Test
    void thePageTellsOfAllOfThem() throws Exception {
        Set<String> scraped = new TreeSet<>();
        for (String connector : List.of("nio", "bio")) {
            try (RunningApp app = start("--server.jetty.max-connections=50", "--millrace.connector=" + connector)) {
                scraped.addAll(names(app.get("/actuator/prometheus").body()));
            }
        }
        assertEquals(scraped, names(Files.readString(PAGE)));
        Set<String> watched = names(Files.readString(ALERTS));
        assertFalse(watched.isEmpty());
        assertTrue(scraped.containsAll(watched), () -> watched + " is more than " + scraped);
    }

    @Test
    void ofTheServerOfManagementThereIsNothing() throws Exception {
        try (RunningApp app = RunningApp.start(
                ManagementPortTest.Managed.class,
                "--management.server.port=0",
                "--management.endpoints.web.exposure.include=prometheus")) {
            int port = app.context().getEnvironment().getProperty("local.management.port", Integer.class);
            HttpResponse<String> answer = HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/actuator/prometheus"))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            assertEquals(
                    1,
                    answer.body()
                            .lines()
                            .filter(line -> line.startsWith("millrace_connections{"))
                            .count());
        }
    }

    /** Spring's tests stop a context that no test uses, and start it again. */
    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void areBoundOnceThoughTheContextIsStartedAgain(CapturedOutput output) throws Exception {
        try (RunningApp app = start()) {
            app.get("/large.bin");
            app.context().stop();
            app.context().start();
            app.get("/large.bin");
            assertEquals(400_000, value(scrapedWhenSent(app, 400_000), SENT));
        }
        assertFalse(output.getAll().contains("been already registered"), output::getAll);
    }

    @Test
    void areOffByPropertiesOfSpringBoot() throws Exception {
        try (RunningApp app = start("--management.metrics.enable.millrace=false")) {
            assertEquals(Set.of(), names(app.get("/actuator/prometheus").body()));
        }
    }
}
