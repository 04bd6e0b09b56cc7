package dev.millrace.load.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
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
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** One page in a headless Chromium, controlled through its debugging protocol. */
final class Chromium implements AutoCloseable {

    private static final long LIMIT_SECONDS = 150;
    private static final String LISTENING = "DevTools listening on ws://127.0.0.1:";
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Process browser;
    private final WebSocket socket;
    private final AtomicInteger ids = new AtomicInteger();
    private final Map<Integer, CompletableFuture<JsonNode>> pending = new ConcurrentHashMap<>();
    private final BlockingQueue<String> loaded = new LinkedBlockingQueue<>();
    private final List<String> requested = new CopyOnWriteArrayList<>();
    private final List<String> complaints = new CopyOnWriteArrayList<>();

    private Chromium(Process browser, URI page) {
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
        ProcessBuilder builder = new ProcessBuilder(
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
                        "about:blank")
                .directory(profile.toFile())
                .redirectErrorStream(true);
        builder.environment().put("TMPDIR", profile.toString());
        Process browser = builder.start();
        try {
            HttpRequest list = HttpRequest.newBuilder(
                            URI.create("http://127.0.0.1:" + port(browser) + "/json/new?about:blank"))
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
            chromium.call("Page.setLifecycleEventsEnabled", Map.of("enabled", true));
            return chromium;
        } catch (Exception | AssertionError e) {
            kill(browser);
            throw e;
        }
    }

    private static String port(Process browser) throws IOException {
        BufferedReader output = browser.inputReader();
        StringBuilder seen = new StringBuilder();
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            if (line.startsWith(LISTENING)) {
                Thread rest = new Thread(() -> output.lines().forEach(more -> {}), "output of Chromium");
                rest.setDaemon(true);
                rest.start();
                return line.substring(LISTENING.length()).split("/")[0];
            }
            seen.append(line).append('\n');
        }
        throw new IOException("Chromium ended: " + seen);
    }

    void open(String url) throws Exception {
        String loader =
                call("Page.navigate", Map.of("url", url)).get("loaderId").asText();
        String done;
        do {
            done = loaded.poll(LIMIT_SECONDS, TimeUnit.SECONDS);
        } while (done != null && !done.equals(loader));
        if (done == null) {
            throw new AssertionError(url + " was not loaded");
        }
    }

    /** The value of an expression in the page. */
    JsonNode evaluate(String expression) throws Exception {
        JsonNode result =
                call("Runtime.evaluate", Map.of("expression", expression, "awaitPromise", true, "returnByValue", true));
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
        return Base64.getDecoder()
                .decode(call("Page.captureScreenshot", Map.of("format", "png"))
                        .get("data")
                        .asText());
    }

    /** The addresses that the page has requested so far. */
    List<String> requested() {
        return List.copyOf(requested);
    }

    /** Errors in the console and the log: uncaught exceptions and refused resources. */
    List<String> complaints() {
        return List.copyOf(complaints);
    }

    private JsonNode call(String method, Map<String, ?> parameters) throws Exception {
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
            case "Page.lifecycleEvent" -> {
                if (parameters.path("name").asText().equals("load")) {
                    loaded.add(parameters.path("loaderId").asText());
                }
            }
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
    public void close() throws InterruptedException {
        socket.abort();
        kill(browser);
    }

    /** Not by onExit(): that may wait for the end of the output, which a child that was just born holds open. */
    private static void kill(Process browser) throws InterruptedException {
        browser.descendants().forEach(ProcessHandle::destroyForcibly);
        browser.destroyForcibly().waitFor();
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
