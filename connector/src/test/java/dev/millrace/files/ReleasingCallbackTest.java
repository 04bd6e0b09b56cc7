package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whose memory others use next: it is given back once, when the end point has let go of it. */
class ReleasingCallbackTest {
    private final List<String> calls = new ArrayList<>();
    private final Callback application = Callback.from(() -> calls.add("succeeded"), cause -> calls.add("completed"));
    /** What the end point has pending, and fails when it is cancelled. */
    private Callback pending = Callback.from(() -> {}, cause -> calls.add("cancelled"));

    private ReleasingCallback write(HttpVersion version, boolean isCommitted) {
        EndPoint endPoint = Fakes.of(EndPoint.class, Map.of("cancelWrite", ignored -> pending));
        Response response = Fakes.response(version, endPoint, Map.of("isCommitted", ignored -> isCommitted));
        return new ReleasingCallback(() -> calls.add("released"), response, application);
    }

    @ParameterizedTest
    @CsvSource({
        "HTTP_1_1,true,true",
        "HTTP_1_0,true,true",
        "HTTP_2,true,false",
        "HTTP_1_1,false,true",
        "HTTP_2,false,false"
    })
    void whatIsPendingIsCancelledFirst(HttpVersion version, boolean isCommitted, boolean isCancelled) {
        ReleasingCallback write = write(version, isCommitted);
        // Not committed, it waits for an interim response to be written.
        write.write((last, bytes, callback) -> {}, true, BufferUtil.EMPTY_BUFFER);
        write.failed(new IOException("given up"));
        assertEquals(
                isCancelled ? List.of("cancelled", "released", "completed") : List.of("released", "completed"), calls);
    }

    @Test
    void nothingIsCancelledThatHasCompleted() {
        write(HttpVersion.HTTP_1_1, true).succeeded();
        assertEquals(List.of("released", "succeeded"), calls);
    }

    // The way of what is pending leads through the handler that has given up, and back to the same write.
    @Test
    void isGivenBackOnceThoughItFailsTwice() {
        ReleasingCallback write = write(HttpVersion.HTTP_1_1, true);
        pending = write;
        write.failed(new IOException("given up"));
        write.succeeded();
        write.failed(new IOException("given up again"));
        assertEquals(List.of("released", "completed"), calls);
    }

    @Test
    void isGivenBackOnceThoughItFailsWhenItHasSucceeded() {
        ReleasingCallback write = write(HttpVersion.HTTP_1_1, true);
        write.succeeded();
        write.failed(new IOException("given up too late"));
        assertEquals(List.of("released", "succeeded"), calls);
    }

    // By a timer, for example, while the handler's thread is about to commit the response.
    @Test
    void isCancelledThoughNothingIsCommittedYetWhileAnotherThreadWrites() {
        ReleasingCallback write = write(HttpVersion.HTTP_1_1, false);
        write.write(
                (last, bytes, callback) -> CompletableFuture.runAsync(
                                () -> callback.failed(new IOException("given up")))
                        .join(),
                true,
                BufferUtil.EMPTY_BUFFER);
        assertEquals(List.of("cancelled", "released", "completed"), calls);
    }

    @Test
    void isNotCancelledWhenItIsRefused() {
        ReleasingCallback write = write(HttpVersion.HTTP_1_1, false);
        write.write(
                (last, bytes, callback) -> callback.failed(new IOException("refused")), true, BufferUtil.EMPTY_BUFFER);
        assertEquals(List.of("released", "completed"), calls);
    }

    @Test
    void isGivenBackWhenTheSinkThrows() {
        Content.Sink sink = (last, bytes, callback) -> {
            throw new IllegalStateException("the request is completed");
        };
        write(HttpVersion.HTTP_1_1, false).write(sink, true, ByteBuffer.allocate(1));
        assertEquals(List.of("released", "completed"), calls);
    }
}
