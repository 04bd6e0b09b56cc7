package dev.millrace.examples.javalin;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.files.SendfileHandler;
import io.javalin.Javalin;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A folder of files in front of a Javalin application. */
class JavalinStaticFilesTest {
    @TempDir
    Path folder;

    @Test
    void theKernelSendsTheFilesOfAFolder() throws Exception {
        byte[] bytes = new byte[200_000];
        new Random(1).nextBytes(bytes);
        Files.write(folder.resolve("file.bin"), bytes);
        Javalin application = JavalinExample.application(0);
        application.unsafe.routes.get("/static/made", context -> context.result("made"));
        SendfileHandler files = JavalinExample.serveFiles(application, folder.toString());
        application.start();
        try {
            assertArrayEquals(bytes, get(application, "/static/file.bin"));
            assertEquals(1, files.getSendfileContentFactory().getTransfers());
            assertEquals("made", text(get(application, "/static/made")), "no such file: the application answers");
            assertEquals("Hello from Javalin", text(get(application, "/hello")));
        } finally {
            application.stop();
        }
    }

    private static byte[] get(Javalin application, String path) throws IOException, InterruptedException {
        URI url = URI.create("http://127.0.0.1:" + application.port() + path);
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(url).build(), HttpResponse.BodyHandlers.ofByteArray())
                .body();
    }

    private static String text(byte[] body) {
        return new String(body, StandardCharsets.UTF_8);
    }
}
