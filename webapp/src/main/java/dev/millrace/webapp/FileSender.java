package dev.millrace.webapp;

import jakarta.servlet.ServletContext;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;

/**
 * Sends a file: a server that supports X-Sendfile gets its name, and on others it is streamed. The server is asked for
 * each file, because it may accept some files only, and support may be switched off. Thread-safe.
 */
final class FileSender {
    private static final String X_SENDFILE = "X-Sendfile";
    static final String DOWNLOADS = FileSender.class.getName();

    private final ServletContext context;
    private final LongAdder byXSendfile = new LongAdder();
    private final LongAdder streamed = new LongAdder();

    FileSender(ServletContext context) {
        this.context = context;
    }

    /** The sender of {@code /download}, a context attribute. */
    static FileSender ofDownloads(ServletContext context) {
        return (FileSender) context.getAttribute(DOWNLOADS);
    }

    /**
     * Sends a file.
     *
     * @param file its real path
     * @throws IOException when it cannot be read, or the client closes the connection
     */
    void send(Path file, HttpServletRequest request, HttpServletResponse response) throws IOException {
        if (isAccepted(context, file)) {
            byXSendfile.increment();
            FileResponse.describe(file, request, response);
            response.setHeader(X_SENDFILE, file.toString());
        } else {
            streamed.increment();
            FileResponse.send(file, request, response);
        }
    }

    /** The number of files sent in each way, ready for JSON. */
    Map<String, Object> counts() {
        Map<String, Object> counts = new LinkedHashMap<>();
        counts.put("byXSendfile", byXSendfile.sum());
        counts.put("streamed", streamed.sum());
        return counts;
    }

    @SuppressWarnings("unchecked") // docs/file-serving.md says which type the attribute has.
    static boolean isAccepted(ServletContext context, Path file) {
        return context.getAttribute(ContextAttributes.X_SENDFILE) instanceof Predicate<?> accepted
                && ((Predicate<Path>) accepted).test(file);
    }
}
