package dev.millrace.testing;

import dev.millrace.files.SendfileHandler;
import dev.millrace.transfer.FileRegion;
import dev.millrace.transfer.FileSource;
import dev.millrace.transfer.TransferEndPoint;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Invocable.InvocationType;

/** Handlers that several tests serve by. A handler with a meaning for one test stays in that test. */
public final class Handlers {
    /** What {@link #hello} answers. */
    public static final String HELLO = "hello";

    private Handlers() {}

    /** What a handler does with each request: it completes the callback, now or later. */
    @FunctionalInterface
    public interface Handling {
        void handle(Request request, Response response, Callback callback) throws Exception;
    }

    /** What a handler says of a request. */
    @FunctionalInterface
    public interface Saying {
        String of(Request request) throws Exception;
    }

    /** Handles each request as told, on a thread that may block. */
    public static Handler.Abstract of(Handling handling) {
        return of(InvocationType.BLOCKING, handling);
    }

    /** Handles each request as told, and says so of its thread. */
    public static Handler.Abstract of(InvocationType type, Handling handling) {
        return new Handler.Abstract(type) {
            @Override
            public boolean handle(Request request, Response response, Callback callback) throws Exception {
                handling.handle(request, response, callback);
                return true;
            }
        };
    }

    /** Handles each request as told, with another handler below it. */
    public static Handler.Wrapper around(Handler inner, Request.Handler handling) {
        return new Handler.Wrapper(inner) {
            @Override
            public boolean handle(Request request, Response response, Callback callback) throws Exception {
                return handling.handle(request, response, callback);
            }
        };
    }

    /** Handles each request as told, with another handler below it, on a thread that may block. */
    public static Handler.Wrapper blockingAround(Handler inner, Request.Handler handling) {
        return new Handler.Wrapper(inner) {
            @Override
            public InvocationType getInvocationType() {
                return InvocationType.BLOCKING;
            }

            @Override
            public boolean handle(Request request, Response response, Callback callback) throws Exception {
                return handling.handle(request, response, callback);
            }
        };
    }

    /**
     * Answers {@code late}.
     *
     * @param handling counted down when it has the request
     * @param release what it waits for then
     */
    public static Handler.Abstract late(CountDownLatch handling, CountDownLatch release) {
        return of((request, response, callback) -> {
            handling.countDown();
            if (!release.await(30, TimeUnit.SECONDS)) {
                throw new IllegalStateException("not released");
            }
            Content.Sink.write(response, true, "late", callback);
        });
    }

    /**
     * Answers {@code fine}, a request of {@code /wait} when it may.
     *
     * @param waiting counts those that wait
     * @param release what they wait for
     */
    public static Handler.Abstract waiting(AtomicInteger waiting, CountDownLatch release) {
        return text(request -> {
            if (Request.getPathInContext(request).equals("/wait")) {
                waiting.incrementAndGet();
                release.await();
                waiting.decrementAndGet();
            }
            return "fine";
        });
    }

    /** Answers {@value #HELLO}. */
    public static Handler.Abstract hello() {
        return text(HELLO);
    }

    /** Answers a text. */
    public static Handler.Abstract text(String text) {
        return text(request -> text);
    }

    /** Answers a text, which is made for each request. */
    public static Handler.Abstract text(Saying saying) {
        return of((request, response, callback) -> Content.Sink.write(response, true, saying.of(request), callback));
    }

    /** Answers the path of the request. */
    public static Handler.Abstract path() {
        return text(Request::getPathInContext);
    }

    /** Answers bytes in one write. */
    public static Handler.Abstract bytes(byte[] bytes) {
        return of((request, response, callback) -> response.write(true, ByteBuffer.wrap(bytes), callback));
    }

    /** Answers zeros in one write of memory outside the heap. */
    public static Handler.Abstract zeros(int bytes) {
        return of((request, response, callback) -> response.write(true, ByteBuffer.allocateDirect(bytes), callback));
    }

    /** Answers without content. */
    public static Handler.Abstract empty() {
        return of((request, response, callback) -> callback.succeeded());
    }

    /** Waits for all content of the request, and answers it in one write. */
    public static Handler.Abstract wholeContent() {
        return of((request, response, callback) -> response.write(true, ByteBuffer.wrap(content(request)), callback));
    }

    /** All content of a request, for which the thread waits. */
    public static byte[] content(Request request) throws IOException {
        try (InputStream content = Content.Source.asInputStream(request)) {
            return content.readAllBytes();
        }
    }

    /** Answers the content of the request as it comes, without waiting on a thread. */
    public static Handler.Abstract echo() {
        return of(Content::copy);
    }

    /** Handles no request. */
    public static Handler.Abstract declining(InvocationType type) {
        return new Handler.Abstract(type) {
            @Override
            public boolean handle(Request request, Response response, Callback callback) {
                return false;
            }
        };
    }

    /** Serves the files of a directory. */
    public static SendfileHandler files(Path directory) {
        SendfileHandler files = new SendfileHandler();
        files.setBaseResourceAsString(directory.toString());
        return files;
    }

    /** Answers the first bytes of a file as a region, whose token has zeros in their place. */
    public static Handler.Abstract region(FileChannel file, int bytes) {
        return region((FileSource) () -> file, bytes);
    }

    /** As the other one. */
    public static Handler.Abstract region(FileSource file, int bytes) {
        return of((request, response, callback) -> {
            var endPoint = (TransferEndPoint) EndPoints.of(request);
            ByteBuffer token = ByteBuffer.allocateDirect(bytes);
            response.getHeaders().put(HttpHeader.CONTENT_LENGTH, bytes);
            FileRegion region = new FileRegion(file, 0, token, null, false, null);
            endPoint.announce(region);
            response.write(true, token, Callback.from(() -> endPoint.withdraw(region), callback));
        });
    }

    /** Names the file of a directory that has the path of the request, for an {@code XSendfileHandler} above. */
    public static Handler.Abstract naming(Supplier<Path> directory) {
        return of((request, response, callback) -> {
            response.getHeaders().put("X-Sendfile", directory.get() + Request.getPathInContext(request));
            callback.succeeded();
        });
    }

    /** Names such a file, and writes a text, which nobody is to get. */
    public static Handler.Abstract naming(Supplier<Path> directory, String text) {
        return of((request, response, callback) -> {
            response.getHeaders().put("X-Sendfile", directory.get() + Request.getPathInContext(request));
            Content.Sink.write(response, true, text, callback);
        });
    }

    /** Answers with these fields and no content. They may name a file, for an {@code XSendfileHandler} above. */
    public static Handler.Abstract fields(Supplier<Map<String, String>> fields) {
        return of((request, response, callback) -> {
            fields.get().forEach(response.getHeaders()::put);
            callback.succeeded();
        });
    }
}
