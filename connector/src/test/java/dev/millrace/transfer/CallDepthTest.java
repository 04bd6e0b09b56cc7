package dev.millrace.transfer;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.EndPoints;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.server.Handler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * How many calls lie between {@link EndPoint#flush} and the socket. The handler ends the socket's output under its end
 * point: the JDK's call then throws, and the stack trace has the way. A closed socket would not do: Jetty's selector, which
 * may not have set the key's interests yet, closes the end point of a key that is no longer valid.
 */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#ours")
@Timeout(60)
class CallDepthTest {
    private static final int FILE_BYTES = 1 << 20;

    @TempDir
    static Path directory;

    @Parameter
    Connectors connectors;

    /** Writes to a socket whose output has ended. */
    private interface Write {
        void to(EndPoint endPoint) throws IOException;
    }

    /** Our frames from the one that calls the JDK's channel to {@code flush}, both included. */
    private List<String> frames(Write write) throws Exception {
        BlockingQueue<StackTraceElement[]> stacks = new LinkedBlockingQueue<>();
        Handler handler = Handlers.of((request, response, callback) -> {
            EndPoint endPoint = EndPoints.of(request);
            ((SocketChannel) endPoint.getTransport()).shutdownOutput();
            try {
                write.to(endPoint);
            } catch (EofException x) {
                stacks.add(x.getCause().getStackTrace());
            }
            callback.failed(new EofException("closed"));
        });
        try (TestServer server = new TestServer(connectors::http).start(handler);
                RawClient client = server.client().get("/")) {
            StackTraceElement[] stack = stacks.poll(30, TimeUnit.SECONDS);
            assertNotNull(stack, "the socket was written to");
            List<String> ours = Arrays.stream(stack)
                    .dropWhile(frame -> !frame.getClassName().startsWith("dev.millrace."))
                    .takeWhile(frame -> !frame.getClassName().contains(CallDepthTest.class.getSimpleName()))
                    .map(frame -> frame.getClassName() + "." + frame.getMethodName())
                    .toList();
            assertTrue(ours.get(ours.size() - 1).endsWith("EndPoint.flush"), ours::toString);
            return ours;
        }
    }

    @Test
    void aFileTakesFiveCallsFromFlushToTheKernel() throws Exception {
        Path path = directory.resolve("file");
        TestFiles.write(directory, "file", FILE_BYTES);
        try (FileChannel file = FileChannel.open(path)) {
            ByteBuffer token = file.map(FileChannel.MapMode.READ_ONLY, 0, FILE_BYTES);
            List<String> frames = frames(endPoint -> {
                ((TransferEndPoint) endPoint).announce(new FileRegion(file, 0, token));
                endPoint.flush(token);
            });
            assertTrue(frames.get(0).endsWith("FileSource.transferTo"), frames::toString);
            assertTrue(frames.size() <= 5, frames::toString);
        }
    }

    @Test
    void aPlainWriteTakesTwoCallsBelowFlush() throws Exception {
        List<String> frames = frames(endPoint -> endPoint.flush(ByteBuffer.allocate(13)));
        assertTrue(frames.get(0).endsWith("Writer.write"), frames::toString);
        assertTrue(frames.size() - 1 <= 2, frames::toString);
    }
}
