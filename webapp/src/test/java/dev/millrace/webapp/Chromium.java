package dev.millrace.webapp;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** One page in a headless Chromium, controlled through its debugging protocol. */
final class Chromium implements AutoCloseable {
    private static final long LIMIT_SECONDS = 70;
    private static final ObjectMapper JSON = new ObjectMapper();

    private final ServerProcess browser;
    private final WebSocket socket;
    private final AtomicInteger ids = new AtomicInteger();
    private final Map<Integer, CompletableFuture<JsonNode>> pending = new ConcurrentHashMap<>();
    private final List<String> requested = new CopyOnWriteArrayList<>();
    private final List<String> complaints = new CopyOnWriteArrayList<>();

    private Chromium(ServerProcess browser, URI page) {
        this.browser = browser;
        this.socket = HttpClient.newHttpClient()
                .newWebSocketBuilder()
                .buildAsync(page, new Events())
                .join();
    }

    /** The browser on this machine's path, if it is installed. Nothing is downloaded. */
    static Optional<Path> find() {
        return Stream.of("chromium", "chromium-browser", "google-chrome")
                .flatMap(name -> Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
                        .map(folder -> Path.of(folder, name)))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** Starts the browser on an empty page, with its profile in the given folder. */
    static Chromium start(Path program, Path profile) throws Exception {
        // Containers and root cannot have the sandbox, and the browser opens the test's own page only.
        ServerProcess browser = ServerProcess.command(
                profile,
                List.of(
                        program.toString(),
                        "--headless=new",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--disable-dev-shm-usage",
                        "--no-first-run",
                        "--hide-scrollbars",
                        "--disable-background-networking",
                        "--disable-component-update",
                        "--disable-sync",
                        "--remote-debugging-port=0",
                        "--user-data-dir=" + profile,
                        "about:blank"));
        try {
            String port = browser.await("DevTools listening on ws://127\\.0\\.0\\.1:(\\d+)/")
                    .group(1);
            HttpRequest list = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/json/new?about:blank"))
                    .PUT(HttpRequest.BodyPublishers.noBody())
                    .build();
            String page = HttpClient.newHttpClient()
                    .send(list, HttpResponse.BodyHandlers.ofString())
                    .body();
            Chromium chromium = new Chromium(
                    browser,
                    URI.create(JSON.readTree(page).get("webSocketDebuggerUrl").asText()));
            for (String domain : List.of("Page", "Runtime", "Network", "Log")) {
                chromium.call(domain + ".enable", Map.of());
            }
            return chromium;
        } catch (Exception | AssertionError e) {
            browser.close();
            throw e;
        }
    }

    void open(String url) throws Exception {
        call("Page.navigate", Map.of("url", url));
        until("document.readyState === 'complete' && location.href.startsWith('" + url + "')");
    }

    /** Waits until an expression is true in the page. */
    void until(String condition) throws Exception {
        evaluate("new Promise((done, failed) => { const end = Date.now() + 60000; (function look() {"
                + "if (" + condition + ") { done(true); } else if (Date.now() > end) {"
                + "failed(new Error(" + JSON.writeValueAsString("never: " + condition)
                + " + document.body.innerText)); } else { setTimeout(look, 50); } })(); })");
    }

    /** The value of an expression in the page, or of its promise when that is settled. */
    JsonNode evaluate(String expression) throws Exception {
        JsonNode result = call(
                "Runtime.evaluate",
                Map.of("expression", expression, "awaitPromise", true, "returnByValue", true, "userGesture", true));
        if (result.has("exceptionDetails")) {
            throw new AssertionError(result.get("exceptionDetails").toPrettyString());
        }
        return result.path("result").path("value");
    }

    void size(int width, int height) throws Exception {
        call(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
    }

    /** {@code light} or {@code dark}. */
    void colours(String scheme) throws Exception {
        call(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
    }

    byte[] screenshot() throws Exception {
        JsonNode picture = call("Page.captureScreenshot", Map.of("format", "png", "captureBeyondViewport", true));
        return Base64.getDecoder().decode(picture.get("data").asText());
    }

    /** The addresses that the page has requested so far. */
    List<String> requested() {
        return List.copyOf(requested);
    }

    /** Errors in the console and the log: uncaught exceptions and refused resources. */
    List<String> complaints() {
        return List.copyOf(complaints);
    }

    JsonNode call(String method, Map<String, ?> parameters) throws Exception {
        int id = ids.incrementAndGet();
        CompletableFuture<JsonNode> answer = new CompletableFuture<>();
        pending.put(id, answer);
        ObjectNode message = JSON.createObjectNode().put("id", id).put("method", method);
        message.set("params", JSON.valueToTree(parameters));
        socket.sendText(JSON.writeValueAsString(message), true).join();
        return answer.get(LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    private void received(String text) throws IOException {
        JsonNode message = JSON.readTree(text);
        JsonNode parameters = message.path("params");
        switch (message.path("method").asText()) {
            case "Network.requestWillBeSent" ->
                requested.add(parameters.at("/request/url").asText());
            case "Runtime.exceptionThrown" -> complaints.add(parameters.toString());
            case "Log.entryAdded" -> complaints.add(parameters.at("/entry/text").asText());
            default -> {
                CompletableFuture<JsonNode> answer =
                        pending.remove(message.path("id").asInt());
                if (answer != null && message.has("error")) {
                    answer.completeExceptionally(
                            new IOException(message.get("error").toString()));
                } else if (answer != null) {
                    answer.complete(message.path("result"));
                }
            }
        }
    }

    @Override
    public void close() {
        socket.abort();
        browser.close();
    }

    private final class Events implements WebSocket.Listener {
        private final StringBuilder text = new StringBuilder();

        @Override
        public CompletionStage<?> onText(WebSocket webSocket, CharSequence data, boolean last) {
            text.append(data);
            if (last) {
                try {
                    received(text.toString());
                } catch (IOException e) {
                    complaints.add(e.toString());
                }
                text.setLength(0);
            }
            webSocket.request(1);
            return null;
        }
    }
}
