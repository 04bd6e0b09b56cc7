package dev.millrace.spring;

import java.io.IOException;
import org.springframework.core.io.Resource;
import org.springframework.http.HttpOutputMessage;
import org.springframework.http.converter.ResourceHttpMessageConverter;

/** Leaves files to the server, and writes other resources itself. */
final class FileConverter extends ResourceHttpMessageConverter {
    @Override
    protected void writeContent(Resource resource, HttpOutputMessage message) throws IOException {
        if (!LeftToServer.leave(resource, message)) {
            super.writeContent(resource, message);
        }
    }
}
