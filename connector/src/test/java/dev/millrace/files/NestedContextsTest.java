package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.millrace.testing.TestFiles;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.MimeTypes;
import org.eclipse.jetty.http.content.ResourceHttpContentFactory;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.server.Context;
import org.eclipse.jetty.server.HttpStream;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.resource.Resource;
import org.eclipse.jetty.util.resource.ResourceFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A request of several ranges that comes back from another context has its files kept open as before. */
class NestedContextsTest {
    private final HoldingContentFactory.Scope scope = new HoldingContentFactory.Scope();
    private final Context context = Fakes.of(Context.class, Map.of());
    private final List<HttpStream> streams = new ArrayList<>();

    @TempDir
    Path directory;

    private Request request() {
        HttpFields fields = HttpFields.build().put(HttpHeader.RANGE, "bytes=0-9,20-29");
        HttpStream stream = Fakes.of(HttpStream.class, Map.of());
        return Fakes.of(Request.class, Map.of("getHeaders", ignored -> fields, "addHttpStreamWrapper", wrappers -> {
            @SuppressWarnings("unchecked")
            var wrapper = (Function<HttpStream, HttpStream>) wrappers[0];
            streams.add(wrapper.apply(stream));
            return null;
        }));
    }

    private static Resource found(HoldingContentFactory factory) throws Exception {
        return factory.getContent("/file.bin").getResource();
    }

    @Test
    void leaveTheOuterOneItsRequest() throws Exception {
        TestFiles.write(directory, "file.bin", 100);
        SendfileContentFactory files = new SendfileContentFactory(new ResourceHttpContentFactory(
                ResourceFactory.root().newResource(directory), MimeTypes.DEFAULTS, ByteBufferPool.SIZED_NON_POOLING));
        HoldingContentFactory factory = new HoldingContentFactory(files, List.of());
        factory.start();
        Request request = request();
        Resource shared = found(factory);
        scope.enterScope(context, request);
        assertNotSame(shared, found(factory));
        scope.enterScope(context, request);
        assertNotSame(shared, found(factory));
        scope.exitScope(context, request);
        assertNotSame(shared, found(factory), "of the outer context");
        scope.exitScope(context, request);
        assertSame(shared, found(factory));
        streams.forEach(HttpStream::succeeded);
        factory.stop();
    }
}
