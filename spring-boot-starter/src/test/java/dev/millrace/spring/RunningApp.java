package dev.millrace.spring;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import dev.millrace.connector.MillraceConnector;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.stream.Stream;
import org.eclipse.jetty.server.Server;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.jetty.JettyWebServer;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;

/** An application that runs, on a free port unless its options say otherwise. */
record RunningApp(ServletWebServerApplicationContext context) implements AutoCloseable {
    private static final String[] QUIET = {
        "--server.port=0",
        "--spring.main.banner-mode=off",
        "--logging.level.root=warn",
        "--spring.main.register-shutdown-hook=false",
        "--spring.jmx.enabled=false"
    };

    /** @param options as on a command line; the later one of two that are the same holds */
    static RunningApp start(Class<?> application, String... options) {
        String[] all = Stream.concat(Stream.of(QUIET), Stream.of(options)).toArray(String[]::new);
        return new RunningApp((ServletWebServerApplicationContext) SpringApplication.run(application, lastOfEach(all)));
    }

    // Of two options of one name Spring makes a list.
    private static String[] lastOfEach(String... options) {
        var byName = new LinkedHashMap<String, String>();
        Stream.of(options).forEach(option -> byName.put(option.split("=", 2)[0], option));
        return byName.values().toArray(String[]::new);
    }

    int port() {
        return context.getWebServer().getPort();
    }

    Server server() {
        return ((JettyWebServer) context.getWebServer()).getServer();
    }

    MillraceConnector connector() {
        return assertInstanceOf(MillraceConnector.class, server().getConnectors()[0]);
    }

    /** By HTTP/1.1. */
    HttpResponse<String> get(String path, String... fields) throws IOException, InterruptedException {
        return send("GET", path, fields);
    }

    HttpResponse<String> send(String method, String path, String... fields) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://localhost:" + port() + path))
                .method(method, HttpRequest.BodyPublishers.noBody())
                .timeout(Duration.ofSeconds(60));
        if (fields.length > 0) {
            request.headers(fields);
        }
        return HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .build()
                .send(request.build(), HttpResponse.BodyHandlers.ofString(StandardCharsets.ISO_8859_1));
    }

    /** A connection on which nothing has been sent; reads wait for at most 60 s. */
    Socket connect() throws IOException {
        Socket socket = new Socket("localhost", port());
        socket.setSoTimeout(60_000);
        return socket;
    }

    @Override
    public void close() {
        context.close();
    }
}
