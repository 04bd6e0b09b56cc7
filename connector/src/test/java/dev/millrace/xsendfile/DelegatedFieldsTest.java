package dev.millrace.xsendfile;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.RawClient.Answer;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import java.nio.file.Path;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.handler.BufferedResponseHandler;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The fields by which an application names a file are the server's business only, whenever they are set. */
class DelegatedFieldsTest {
    @TempDir
    Path directory;

    private static Answer answer(Handler handler) throws Exception {
        try (TestServer server = new TestServer(Connectors.NIO::http).start(handler);
                RawClient client = server.client()) {
            return client.get("/").answer();
        }
    }

    private static void assertStripped(Answer answer) {
        assertNull(answer.headers().get("X-Sendfile"));
        assertNull(answer.headers().get("X-Accel-Redirect"));
        assertNull(answer.headers().get("X-Download-Id"));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatIsSetAfterAWriteThatSomebodyBuffersIsTakenOut(boolean isEnabled) throws Exception {
        XSendfileHandler handler = new XSendfileHandler(Handlers.of((request, response, callback) -> {
            response.setStatus(200);
            Callback.Completable.with(written -> Content.Sink.write(response, false, "begin", written))
                    .get();
            HttpFields.Mutable headers = response.getHeaders();
            headers.put("X-Sendfile", directory.resolve("file.bin").toString());
            headers.put("X-Accel-Redirect", "/protected/file.bin");
            Callback.Completable.with(written -> Content.Sink.write(response, false, ", end", written))
                    .get();
            headers.put("X-Download-Id", "1");
            callback.succeeded();
        }));
        handler.setEnabled(isEnabled);
        handler.addRoot(directory.toString());
        Answer answer = answer(new BufferedResponseHandler(handler));
        assertEquals("begin, end", answer.text());
        assertStripped(answer);
    }

    @Test
    void aDownloadIdThatNamesNoFileIsTakenOut() throws Exception {
        XSendfileHandler handler = new XSendfileHandler(Handlers.of((request, response, callback) -> {
            response.getHeaders().put("X-Download-Id", "1");
            Content.Sink.write(response, true, "own body", callback);
        }));
        handler.addRoot(directory.toString());
        Answer answer = answer(handler);
        assertEquals("own body", answer.text());
        assertStripped(answer);
    }

    @Test
    void whatIsSetAfterAWriteIsTakenOut() throws Exception {
        byte[] bytes = TestFiles.write(directory, "file.bin", 100_000);
        XSendfileHandler handler = new XSendfileHandler(Handlers.of((request, response, callback) -> {
            HttpFields.Mutable headers = response.getHeaders();
            headers.put("X-Sendfile", directory.resolve("file.bin").toString());
            Callback.Completable.with(written -> Content.Sink.write(response, false, "begin", written))
                    .get();
            headers.put("X-Sendfile", directory.resolve("file.bin").toString());
            headers.put("X-Accel-Redirect", "/protected/file.bin");
            headers.put("X-Download-Id", "1");
            callback.succeeded();
        }));
        handler.addRoot(directory.toString());
        Answer answer = answer(handler);
        assertArrayEquals(bytes, answer.body());
        assertStripped(answer);
    }

    /** What the application says is of the file; what a handler around it says is of each answer. */
    @Test
    void anErrorHasTheFieldsOfTheHandlersAround() throws Exception {
        XSendfileHandler handler = new XSendfileHandler(Handlers.of((request, response, callback) -> {
            response.getHeaders().put("X-Sendfile", directory.resolve("missing").toString());
            response.getHeaders().put("Content-Disposition", "attachment");
            response.getHeaders().add("X-Around", "of the application");
            callback.succeeded();
        }));
        handler.addRoot(directory.toString());
        Answer answer = answer(Handlers.around(handler, (request, response, callback) -> {
            response.getHeaders().add("X-Around", "first");
            response.getHeaders().add("X-Around", "second");
            return handler.handle(request, response, callback);
        }));
        assertEquals(404, answer.status());
        assertEquals("first, second", answer.headers().get("X-Around"));
        assertNull(answer.headers().get("Content-Disposition"));
        assertStripped(answer);
    }
}
