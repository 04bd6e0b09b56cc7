package dev.millrace.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.filter.ShallowEtagHeaderFilter;

/** Static resources of Spring MVC: files go by the kernel, under the fields that Spring has set. */
@ParameterizedClass
@ValueSource(strings = {"nio", "bio"})
class StaticResourcesTest {
    private static final String SENT = "X-Millrace-Sendfile";
    private static final String TEXT = "0123456789".repeat(20_000);

    @Parameter
    String kind;

    @TempDir
    Path folder;

    private Path root;

    @BeforeEach
    void write() throws IOException {
        root = Files.createDirectory(folder.resolve("static"));
        Files.writeString(root.resolve("large.bin"), TEXT);
        Files.writeString(root.resolve("large.txt"), TEXT);
        Files.writeString(root.resolve("index.html"), "welcome " + TEXT);
        Files.writeString(folder.resolve("outside.txt"), "outside " + TEXT);
    }

    private RunningApp start(Class<?> application, String... options) {
        Stream<String> first = Stream.of(
                "--millrace.connector=" + kind,
                "--millrace.files.debug-header=true",
                "--spring.web.resources.static-locations=file:" + root + "/");
        return RunningApp.start(
                application, Stream.concat(first, Stream.of(options)).toArray(String[]::new));
    }

    private static void assertSent(String way, HttpResponse<String> answer) {
        assertEquals(
                Optional.ofNullable(way),
                answer.headers().firstValue(SENT),
                () -> answer.headers().toString());
    }

    @Test
    void wholeFilesGoByTheKernelUnderSpringsFields() throws Exception {
        try (RunningApp app = start(HelloApplication.class, "--spring.web.resources.cache.cachecontrol.max-age=1h")) {
            HttpResponse<String> answer = app.get("/large.bin");
            assertEquals(200, answer.statusCode());
            assertEquals(TEXT, answer.body());
            assertSent("yes", answer);
            assertEquals(Optional.of("max-age=3600"), answer.headers().firstValue("Cache-Control"));
            assertEquals(Optional.of("bytes"), answer.headers().firstValue("Accept-Ranges"));
            assertEquals(1, answer.headers().allValues("Last-Modified").size());
            assertEquals(
                    Optional.of("application/octet-stream"), answer.headers().firstValue("Content-Type"));
            HttpResponse<String> head = app.send("HEAD", "/large.bin");
            assertEquals(Optional.of("200000"), head.headers().firstValue("Content-Length"));
            String etag = answer.headers().firstValue("ETag").orElseThrow();
            assertEquals(Optional.of(etag), head.headers().firstValue("ETag"));
            assertEquals(
                    304, app.send("HEAD", "/large.bin", "If-None-Match", etag).statusCode());
            HttpResponse<String> fresh = app.get(
                    "/large.bin",
                    "If-Modified-Since",
                    answer.headers().firstValue("Last-Modified").orElseThrow());
            assertEquals(304, fresh.statusCode());
            assertEquals(Optional.of("max-age=3600"), fresh.headers().firstValue("Cache-Control"));
        }
    }

    @Test
    void rangesGoByTheKernel() throws Exception {
        try (RunningApp app = start(HelloApplication.class)) {
            HttpResponse<String> one = app.get("/large.bin", "Range", "bytes=5-100004");
            assertEquals(206, one.statusCode());
            assertEquals(TEXT.substring(5, 100_005), one.body());
            assertEquals(Optional.of("bytes 5-100004/200000"), one.headers().firstValue("Content-Range"));
            assertSent("yes", one);
            HttpResponse<String> several = app.get("/large.bin", "Range", "bytes=0-1,5-6");
            assertEquals(206, several.statusCode());
            assertTrue(several.body().contains("Content-Range: bytes 5-6/200000"), several.body());
            HttpResponse<String> beyond = app.get("/large.bin", "Range", "bytes=200000-");
            assertEquals(416, beyond.statusCode());
            HttpResponse<String> changed =
                    app.get("/large.bin", "Range", "bytes=0-1", "If-Range", "\"of another version\"");
            assertEquals(200, changed.statusCode());
            assertEquals(TEXT, changed.body());
        }
    }

    @Test
    void theWelcomePageIsAFile() throws Exception {
        try (RunningApp app = start(HelloApplication.class)) {
            HttpResponse<String> answer = app.get("/", "Accept", "text/html");
            assertEquals("welcome " + TEXT, answer.body());
            assertSent("yes", answer);
            HttpResponse<String> head = app.send("HEAD", "/", "Accept", "text/html");
            assertEquals(answer.headers().firstValue("ETag"), head.headers().firstValue("ETag"));
            assertEquals(Optional.of("200008"), head.headers().firstValue("Content-Length"));
        }
    }

    @Test
    void whatIsCompressedIsCopied() throws Exception {
        try (RunningApp app = start(HelloApplication.class, "--server.compression.enabled=true")) {
            HttpResponse<String> text = app.get("/large.txt", "Accept-Encoding", "gzip");
            assertEquals(Optional.of("gzip"), text.headers().firstValue("Content-Encoding"));
            HttpResponse<String> binary = app.get("/large.bin", "Accept-Encoding", "gzip");
            assertEquals(Optional.empty(), binary.headers().firstValue("Content-Encoding"));
            assertEquals(TEXT, binary.body());
            assertSent("yes", binary);
        }
    }

    @Test
    void whatIsNoFileIsCopied() throws Exception {
        try (RunningApp app =
                start(HelloApplication.class, "--spring.web.resources.static-locations=classpath:/META-INF/")) {
            HttpResponse<String> answer = app.get("/MANIFEST.MF");
            assertEquals(200, answer.statusCode());
            assertTrue(answer.body().startsWith("Manifest-Version"), answer.body());
            assertSent(null, answer);
        }
    }

    /** Where all files have the time of their image, it says nothing of their versions; nor does an entity tag that is made of it. */
    @Test
    void filesWhoseTimeMeansNothingHaveNoValidators() throws Exception {
        try (RunningApp app = start(HelloApplication.class, "--spring.web.resources.cache.use-last-modified=false")) {
            HttpResponse<String> answer = app.get("/large.bin", "If-Modified-Since", "Fri, 01 Jan 2100 00:00:00 GMT");
            assertEquals(200, answer.statusCode());
            assertEquals(TEXT, answer.body());
            assertEquals(Optional.empty(), answer.headers().firstValue("Last-Modified"));
            assertEquals(Optional.empty(), answer.headers().firstValue("ETag"));
            assertEquals(206, app.get("/large.bin", "Range", "bytes=0-1").statusCode());
        }
    }

    @Test
    void filesBehindLinksAreServedAsBefore() throws Exception {
        Files.createSymbolicLink(root.resolve("link.txt"), folder.resolve("outside.txt"));
        try (RunningApp app = start(HelloApplication.class)) {
            assertEquals("outside " + TEXT, app.get("/link.txt").body());
        }
    }

    @Test
    void missingFilesHaveSpringsErrorPage() throws Exception {
        Files.writeString(Files.createDirectory(root.resolve("error")).resolve("404.html"), "own page");
        try (RunningApp app = start(HelloApplication.class)) {
            HttpResponse<String> answer = app.get("/missing.txt", "Accept", "text/html");
            assertEquals(404, answer.statusCode());
            assertEquals("own page", answer.body());
        }
    }

    @Test
    void fieldsThatNameFilesAreLeftForTheServerInFront() throws Exception {
        try (RunningApp app = start(WithFilters.class)) {
            HttpResponse<String> answer = app.get("/hello");
            assertEquals(Optional.of("/internal/a"), answer.headers().firstValue("X-Accel-Redirect"));
            assertEquals("http: hello", answer.body());
        }
    }

    @Test
    void isOffByAProperty() throws Exception {
        try (RunningApp app = start(HelloApplication.class, "--millrace.files.enabled=false")) {
            HttpResponse<String> answer = app.get("/large.bin");
            assertEquals(TEXT, answer.body());
            assertSent(null, answer);
        }
    }

    /** Sets a field when the answer is there, as filters of Spring Security do. */
    static final class LateField implements Filter {
        /** As those of Spring Security: hands content on. */
        static final class OnCommittedResponseWrapper extends HttpServletResponseWrapper {
            OnCommittedResponseWrapper(HttpServletResponse response) {
                super(response);
            }

            @Override
            public ServletOutputStream getOutputStream() throws IOException {
                return super.getOutputStream();
            }
        }

        @Override
        public void doFilter(
                jakarta.servlet.ServletRequest request, jakarta.servlet.ServletResponse response, FilterChain chain)
                throws IOException, jakarta.servlet.ServletException {
            chain.doFilter(request, new OnCommittedResponseWrapper((HttpServletResponse) response));
            ((HttpServletResponse) response).setHeader("X-Late", "there");
        }
    }

    /** Filters that wrap responses. */
    @Configuration
    @Import(HelloApplication.class)
    static class WithFilters {
        @Bean
        FilterRegistrationBean<LateField> late() {
            return registration(new LateField(), "/large.bin");
        }

        @Bean
        FilterRegistrationBean<ShallowEtagHeaderFilter> etag() {
            return registration(new ShallowEtagHeaderFilter(), "/large.txt");
        }

        @Bean
        FilterRegistrationBean<Filter> accel() {
            return registration(
                    (request, response, chain) -> {
                        ((HttpServletResponse) response).setHeader("X-Accel-Redirect", "/internal/a");
                        chain.doFilter(request, response);
                    },
                    "/hello");
        }

        private static <F extends Filter> FilterRegistrationBean<F> registration(F filter, String pattern) {
            FilterRegistrationBean<F> registration = new FilterRegistrationBean<>(filter);
            registration.addUrlPatterns(pattern);
            return registration;
        }
    }

    @Test
    void filtersThatSetFieldsLateAreHeard() throws Exception {
        try (RunningApp app = start(WithFilters.class)) {
            HttpResponse<String> answer = app.get("/large.bin");
            assertEquals(TEXT, answer.body());
            assertSent("yes", answer);
            assertEquals(Optional.of("there"), answer.headers().firstValue("X-Late"));
        }
    }

    @Test
    void filtersThatReadTheContentHaveIt() throws Exception {
        try (RunningApp app = start(WithFilters.class)) {
            HttpResponse<String> answer = app.get("/large.txt");
            assertEquals(TEXT, answer.body());
            assertSent(null, answer);
            String etag = answer.headers().firstValue("ETag").orElseThrow();
            assertEquals(304, app.get("/large.txt", "If-None-Match", etag).statusCode());
        }
    }
}
