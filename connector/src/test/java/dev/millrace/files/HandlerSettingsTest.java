package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.Described;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.SettingsFiles;
import dev.millrace.testing.TestServer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.eclipse.jetty.http.CompressedContentFormat;
import org.eclipse.jetty.http.MimeTypes;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.ResourceService.WelcomeMode;
import org.eclipse.jetty.server.handler.ContextHandler;
import org.eclipse.jetty.server.handler.ResourceHandler;
import org.eclipse.jetty.util.resource.ResourceFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each setting of Jetty's handler does the same in {@link SendfileHandler}; both serve the same directory. */
@Timeout(60)
class HandlerSettingsTest {
    private static final List<String> REQUESTS = Stream.concat(
                    SettingsFiles.REQUESTS.stream(), Stream.of("GET /file.own"))
            .toList();
    private static final CompressedContentFormat[] FORMATS = {CompressedContentFormat.BR, CompressedContentFormat.GZIP};

    @TempDir
    static Path directory;

    private static Path root;
    /** What Jetty's handler answers to all requests without a setting, by whether it is in a context. */
    private static Map<Boolean, List<String>> unset;

    /** What is set, and a request that Jetty's handler answers otherwise then; null when there is none. */
    private record Setting(String name, Consumer<ResourceHandler> set, String differing) {
        @Override
        public String toString() {
            return name;
        }
    }

    @BeforeAll
    static void write() throws Exception {
        root = SettingsFiles.write(directory);
        unset = Map.of(
                false,
                answers(ResourceHandler::new, files -> {}, false),
                true,
                answers(ResourceHandler::new, files -> {}, true));
    }

    private static Setting encodingCache(int size) {
        return new Setting(
                "encodingCacheSize=" + size,
                files -> {
                    files.setEncodingCacheSize(size);
                    files.setPrecompressedFormats(FORMATS);
                },
                "GET /text.txt Accept-Encoding: br, gzip");
    }

    static Stream<Setting> settings() {
        MimeTypes.Mutable types = new MimeTypes.Mutable();
        types.addMimeMapping("txt", "text/x-own");
        return Stream.of(
                new Setting("none", files -> {}, null),
                encodingCache(0),
                encodingCache(1),
                new Setting(
                        "welcomeFiles",
                        files -> files.setWelcomeFiles("none.html", "home.html", "index.html"),
                        "GET /welcome/"),
                new Setting("welcomeFiles=none", files -> files.setWelcomeFiles(List.of()), "GET /welcome/"),
                new Setting("welcomeFiles=null", files -> files.setWelcomeFiles((List<String>) null), "GET /welcome/"),
                // Jetty's handler takes those of its context when it starts, or the defaults.
                new Setting("mimeTypes", files -> files.setMimeTypes(types), null),
                new Setting(
                        "gzipEquivalents",
                        files -> files.setGzipEquivalentFileExtensions(List.of(".gzz")),
                        "GET /packed.gzz"),
                new Setting(
                        "styleSheet",
                        files -> files.setStyleSheet(ResourceFactory.root().newResource(root.resolve("own.css"))),
                        "GET /jetty-dir.css"),
                new Setting("acceptRanges", files -> files.setAcceptRanges(false), "GET /big.bin Range: bytes=10-19"),
                new Setting("cacheControl", files -> files.setCacheControl("max-age=60"), "GET /big.bin"),
                new Setting("dirAllowed", files -> files.setDirAllowed(false), "GET /matched/"),
                new Setting("etags", files -> files.setEtags(true), "GET /text.txt If-None-Match: {etag}"),
                new Setting(
                        "precompressed",
                        files -> files.setPrecompressedFormats(FORMATS),
                        "GET /text.txt Accept-Encoding: gzip"),
                new Setting("redirect", files -> files.setWelcomeMode(WelcomeMode.REDIRECT), "GET /welcome/"),
                new Setting(
                        "rehandle",
                        files -> files.setWelcomeMode(WelcomeMode.REHANDLE),
                        "GET /welcome/ Range: bytes=0-1"),
                new Setting("mapped", files -> files.setMinMappedFileSize(0), null));
    }

    private static Handler files(Supplier<ResourceHandler> maker, Consumer<ResourceHandler> set, boolean isInContext) {
        ResourceHandler files = maker.get();
        files.setBaseResourceAsString(root.toString());
        set.accept(files);
        if (!isInContext) {
            return files;
        }
        ContextHandler context = new ContextHandler(files, "/");
        context.getMimeTypes().addMimeMapping("own", "text/x-context");
        return context;
    }

    private static List<String> answers(
            Supplier<ResourceHandler> maker, Consumer<ResourceHandler> set, boolean isInContext) throws Exception {
        try (TestServer server = new TestServer(Connectors.NIO::http).start(files(maker, set, isInContext));
                RawClient client = server.client()) {
            return REQUESTS.stream().map(request -> answer(client, request)).toList();
        }
    }

    private static String answer(RawClient client, String request) {
        try {
            String answer = Described.answer(client, "", request);
            // SendfileHandler mends the fields of Jetty's (docs/file-serving.md).
            return request + ": " + (answer.startsWith("304 ") ? "304" : answer);
        } catch (Exception x) {
            throw new AssertionError(request, x);
        }
    }

    @ParameterizedTest
    @MethodSource("settings")
    void areThoseOfJettysHandler(Setting setting) throws Exception {
        for (boolean isInContext : new boolean[] {false, true}) {
            List<String> jettys = answers(ResourceHandler::new, setting.set, isInContext);
            List<String> ours = answers(SendfileHandler::new, setting.set, isInContext);
            for (int i = 0; i < REQUESTS.size(); i++) {
                assertEquals(jettys.get(i), ours.get(i));
                if (REQUESTS.get(i).equals(setting.differing)) {
                    assertNotEquals(unset.get(isInContext).get(i), jettys.get(i), "without effect");
                }
            }
            assertEquals(isInContext, ours.get(REQUESTS.size() - 1).contains("text/x-context"), "types");
        }
    }
}
