package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.files.cache.FileCloser;
import dev.millrace.files.cache.OpenFile;
import dev.millrace.transfer.TransferEndPoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A part of several ranges: its file is given back when nobody sends from it. */
class TransferPartTest {
    @TempDir
    Path directory;

    private final List<String> calls = new ArrayList<>();
    private OpenFile file;
    private Content.Source part;

    @BeforeEach
    void open() throws IOException {
        TransferEndPoint endPoint = Fakes.of(
                TransferEndPoint.class,
                Map.of("withdraw", ignored -> calls.add("withdrawn"), "cancelWrite", ignored -> {
                    calls.add(file.tryRetain() ? "cancelled" : "cancelled too late");
                    file.release();
                    return Callback.NOOP;
                }));
        Response response = Fakes.response(HttpVersion.HTTP_1_1, endPoint, Map.of("isCommitted", ignored -> true));
        file = OpenFile.open(Files.writeString(directory.resolve("file.txt"), "of several ranges"), new FileCloser());
        part = new TransferPart(new SendPath(endPoint, response, response, null, false), file, null, 3, 7);
    }

    @Test
    void isCancelledWhenItIsGivenUp() {
        Content.Chunk chunk = part.read();
        part.fail(new IOException("given up"));
        chunk.release();
        assertEquals(List.of("cancelled", "withdrawn"), calls);
        assertFalse(file.tryRetain(), "nobody holds the file");
    }

    @Test
    void isNotCancelledWhenItIsSent() {
        Content.Chunk chunk = part.read();
        chunk.getByteBuffer().position(chunk.getByteBuffer().limit());
        chunk.release();
        assertEquals(List.of("withdrawn"), calls);
        assertTrue(chunk.isLast());
        assertFalse(file.tryRetain(), "nobody holds the file");
    }
}
