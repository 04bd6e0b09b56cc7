package dev.millrace.spring;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.Resource;
import org.springframework.http.HttpOutputMessage;
import org.springframework.http.MediaType;
import org.springframework.http.converter.ResourceHttpMessageConverter;

/** Leaves files to the server, and writes other resources itself. */
final class FileConverter extends ResourceHttpMessageConverter {
    /** For HEAD this is all that Spring calls. The server has more to tell of a file: its entity tag. */
    @Override
    public void addDefaultHeaders(HttpOutputMessage message, Resource resource, @Nullable MediaType type)
            throws IOException {
        super.addDefaultHeaders(message, resource, type);
        LeftToServer.leave(resource, message);
    }

    @Override
    protected void writeContent(Resource resource, HttpOutputMessage message) throws IOException {
        if (!LeftToServer.leave(resource, message)) {
            super.writeContent(resource, message);
        }
    }
}
