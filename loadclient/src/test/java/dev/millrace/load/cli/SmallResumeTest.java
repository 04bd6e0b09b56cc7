package dev.millrace.load.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.load.TestServer;
import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** {@code --resume} of files that come by one read. */
class SmallResumeTest {

    private static Optional<String> range(TestServer.Request request) {
        return request.head().stream()
                .filter(line -> line.startsWith("Range: bytes="))
                .findFirst();
    }

    @Test
    void aSmallFileIsBrokenOffToo() throws IOException {
        byte[] file = new byte[1000];
        for (int i = 0; i < file.length; i++) {
            file[i] = (byte) (i * 7);
        }
        try (TestServer server = new TestServer((request, out, socket) -> {
            int first = range(request)
                    .map(line -> Integer.parseInt(line.replaceAll("\\D", "")))
                    .orElse(0);
            byte[] part = Arrays.copyOfRange(file, first, file.length);
            String status =
                    first == 0 ? "200 OK" : "206 Partial Content\r\nContent-Range: bytes " + first + "-999/1000";
            byte[] head = ("HTTP/1.1 " + status + "\r\nETag: \"a\"\r\nContent-Length: " + part.length + "\r\n\r\n")
                    .getBytes(US_ASCII);
            byte[] all = Arrays.copyOf(head, head.length + part.length);
            System.arraycopy(part, 0, all, head.length, part.length);
            out.write(all);
        })) {
            Cli cli = Cli.run(
                    "download",
                    "-q",
                    "-c=1",
                    "-n=20",
                    "--warmup=0s",
                    "--resume",
                    "--catalog=none",
                    "--file=a",
                    server.url("/"));
            assertEquals(ExitCode.GOOD, cli.code(), cli.out() + cli.err());
            assertEquals(
                    20,
                    server.requests().stream()
                            .filter(one -> range(one).isPresent())
                            .count(),
                    "each is resumed");
        }
    }
}
