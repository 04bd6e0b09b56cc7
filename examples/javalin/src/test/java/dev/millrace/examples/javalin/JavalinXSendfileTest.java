package dev.millrace.examples.javalin;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.xsendfile.XSendfileHandler;
import io.javalin.Javalin;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A Javalin application that names a file, which the server sends. */
class JavalinXSendfileTest {
    @TempDir
    Path folder;

    @Test
    void sendsTheFileThatARouteNames() throws Exception {
        byte[] bytes = new byte[200_000];
        new Random(1).nextBytes(bytes);
        Path file = Files.write(folder.resolve("file.bin"), bytes);
        XSendfileHandler xSendfile = new XSendfileHandler();
        xSendfile.addRoot(folder.toString());
        Javalin application = JavalinExample.application(0);
        application.unsafe.routes.get(
                "/download",
                context -> context.header("X-Sendfile", file.toString())
                        .contentType("text/x-own")
                        .result("a body that nobody gets"));
        application.jettyServer().server().insertHandler(xSendfile);
        application.start();
        try {
            URI url = URI.create("http://127.0.0.1:" + application.port() + "/download");
            HttpResponse<byte[]> answer = HttpClient.newHttpClient()
                    .send(HttpRequest.newBuilder(url).build(), HttpResponse.BodyHandlers.ofByteArray());
            assertEquals(200, answer.statusCode());
            assertArrayEquals(bytes, answer.body());
            assertEquals(Optional.of("text/x-own"), answer.headers().firstValue("Content-Type"));
            assertEquals(Optional.empty(), answer.headers().firstValue("X-Sendfile"));
            assertEquals(1, xSendfile.getSendfileContentFactory().getTransfers());
        } finally {
            application.stop();
        }
    }
}
