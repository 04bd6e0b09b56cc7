package dev.millrace.spring;

import java.io.IOException;
import java.lang.reflect.Type;
import java.util.Collection;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.support.ResourceRegion;
import org.springframework.http.HttpOutputMessage;
import org.springframework.http.converter.ResourceRegionHttpMessageConverter;

/**
 * Leaves ranges of files to the server, which takes them from the request. It writes those of other resources itself.
 */
final class FileRegionConverter extends ResourceRegionHttpMessageConverter {
    @Override
    protected void writeInternal(Object regions, @Nullable Type type, HttpOutputMessage message) throws IOException {
        boolean isLeft = regions instanceof Collection<?> several
                && !several.isEmpty()
                && several.iterator().next() instanceof ResourceRegion first
                && LeftToServer.leave(first.getResource(), message);
        if (!isLeft) {
            super.writeInternal(regions, type, message);
        }
    }
}
