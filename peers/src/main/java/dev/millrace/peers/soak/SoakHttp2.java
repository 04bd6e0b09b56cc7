package dev.millrace.peers.soak;

import dev.millrace.peers.soak.SoakFile.WrongByteException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import javax.net.ssl.SSLContext;

/**
 * One connection of HTTP/2 over TLS, by the JDK's client. In clear text that client upgrades, and loses what follows
 * the upgrade once in some hundred times, with Jetty's own connector too. Thread-safe.
 */
final class SoakHttp2 {
    private static final int BLOCK_BYTES = 8 * 1024;
    private static final int SLOW_MILLIS = 20;
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final URI url;
    private final HttpClient client;
    private final SoakCounts counts;

    SoakHttp2(URI url, SSLContext keys, SoakCounts counts) {
        this.url = url;
        this.counts = counts;
        client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_2)
                .sslContext(keys)
                .connectTimeout(TIMEOUT)
                .build();
        counts.connections.increment();
    }

    /**
     * Requests a file, and checks its bytes.
     *
     * @param mostBytes bytes after which the stream is closed, which is a reset
     * @param slowly whether to pause after each read
     * @return the status
     * @throws WrongByteException when the answer is not that file
     * @throws IllegalStateException when the answer is not by HTTP/2
     */
    int get(String path, SoakFile file, int mostBytes, boolean slowly)
            throws IOException, InterruptedException, WrongByteException {
        HttpRequest request =
                HttpRequest.newBuilder(url.resolve(path)).timeout(TIMEOUT).build();
        HttpResponse<InputStream> response = client.send(request, HttpResponse.BodyHandlers.ofInputStream());
        try (InputStream in = response.body()) {
            if (response.version() != HttpClient.Version.HTTP_2) {
                throw new IllegalStateException("answered by " + response.version());
            }
            if (response.statusCode() == 200) {
                long length =
                        response.headers().firstValueAsLong("Content-Length").orElseThrow();
                body(in, file, length, mostBytes, slowly);
            } else {
                in.readAllBytes();
            }
        }
        return response.statusCode();
    }

    private void body(InputStream in, SoakFile file, long length, int mostBytes, boolean slowly)
            throws IOException, WrongByteException {
        SoakFile.Check check = file.new Check(0);
        byte[] block = new byte[BLOCK_BYTES];
        long left = length;
        for (int read = in.read(block); read >= 0; read = in.read(block)) {
            counts.bytes.add(read);
            check.accept(ByteBuffer.wrap(block, 0, read));
            left -= read;
            if (length - left >= mostBytes) {
                counts.resets.increment();
                return;
            }
            if (slowly) {
                LockSupport.parkNanos(SLOW_MILLIS * 1_000_000L);
            }
        }
        if (left > 0) {
            throw new EOFException("cut with " + left + " of " + length + " left");
        }
        check.end(length);
    }
}
