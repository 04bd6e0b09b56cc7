package dev.millrace.xsendfile;

import dev.millrace.files.FilesService;
import dev.millrace.transfer.WarningLimit;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.http.content.HttpContent;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.URIUtil;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the files that answers name. Thread-safe.
 *
 * @param service finds a file by the key of {@link RootedFile}, answers conditions and ranges, and sends
 * @param listeners learn how it ended
 * @param warnings how many may be logged of what is not sent
 */
record FileSender(FilesService service, List<TransferListener> listeners, WarningLimit warnings) {
    private static final Logger LOG = LoggerFactory.getLogger(FileSender.class);

    /**
     * @param hasDiscarded whether the application has written a body besides, which is not sent
     * @param around fields of the response that are not the application's
     * @param response with the application's fields, but for ours; not committed
     */
    void send(
            DelegatedFile file,
            boolean hasDiscarded,
            HttpFields around,
            Request request,
            Response response,
            Callback callback) {
        MeasuredResponse measured = new MeasuredResponse(request, response);
        Callback end = new TransferEnd(listeners, file, measured, callback);
        try {
            HttpContent content = file.file() == null
                    ? null
                    : service.getHttpContentFactory().getContent(file.file().key());
            if (content == null) {
                fail(request, measured, around, end, HttpStatus.NOT_FOUND_404);
                return;
            }
            response.getHeaders().remove(HttpHeader.CONTENT_LENGTH);
            if (hasDiscarded) {
                // The coding was that of the body: a compression between the application and here has compressed it.
                response.getHeaders().remove(HttpHeader.CONTENT_ENCODING);
            }
            service.doGet(ofTheFile(request), measured, end, DelegatedFile.as(content, response.getHeaders()));
        } catch (AccessDeniedException x) {
            if (warnings.allows()) {
                LOG.warn("Not sending {}: it cannot be read", file.file());
            }
            fail(request, measured, around, end, HttpStatus.FORBIDDEN_403);
        } catch (NoSuchFileException x) {
            // Gone since it was found.
            if (warnings.allows()) {
                LOG.warn("Not sending {}: there is no such file", file.file());
            }
            fail(request, measured, around, end, HttpStatus.NOT_FOUND_404);
        } catch (Throwable x) {
            // The thread may be the application's own: nobody else would end the request.
            if (response.isCommitted()) {
                end.failed(x);
            } else {
                if (warnings.allows()) {
                    LOG.warn("Not sending {}: {}", file.file(), RootedFile.printable(x));
                }
                fail(request, measured, around, end, HttpStatus.INTERNAL_SERVER_ERROR_500);
            }
        }
    }

    private static void fail(Request request, Response response, HttpFields around, Callback end, int status) {
        // The application's fields describe the file that is not sent.
        response.reset();
        HttpFields.Mutable fields = response.getHeaders();
        List<HttpField> lost = new ArrayList<>();
        // Not by around.stream(), in which Jetty 12.1.12 also shows fields of the connection's last answer.
        for (HttpField field : around) {
            if (!fields.contains(field.getName())) {
                lost.add(field);
            }
        }
        lost.forEach(fields::add);
        Response.writeError(request, response, end, status);
    }

    /** The request, with a path that has no slash at its end: Jetty would redirect a file's path that has one. */
    private static Request ofTheFile(Request request) {
        String path = Request.getPathInContext(request);
        int end = path.length();
        while (end > 1 && path.charAt(end - 1) == '/') {
            end--;
        }
        return end == path.length()
                ? request
                : Request.serveAs(
                        request,
                        HttpURI.build(request.getHttpURI())
                                .path(URIUtil.addPaths(request.getContext().getContextPath(), path.substring(0, end)))
                                .asImmutable());
    }
}
