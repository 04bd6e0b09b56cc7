package dev.millrace.files;

import java.util.EnumSet;
import org.eclipse.jetty.http.HttpDateTime;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.http.content.HttpContent;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * An answer whose file was replaced, and closed, after its fields were made and before anything of it was sent. The
 * request's thread stood still for longer than a file is kept that was let go of. It becomes the answer of the file
 * that is there now.
 *
 * @param gone what the fields are of
 * @param newer what is there now; null when there is nothing
 */
record NewerVersion(HttpContent gone, @Nullable HttpContent newer) {
    private static final EnumSet<HttpHeader> OF_THE_FILE = EnumSet.of(
            HttpHeader.CONTENT_LENGTH,
            HttpHeader.CONTENT_RANGE,
            HttpHeader.CONTENT_TYPE,
            HttpHeader.ETAG,
            HttpHeader.LAST_MODIFIED);

    /** @param response not committed, with all fields of what is gone */
    void writeTo(Response response, Callback callback) {
        HttpFields.Mutable fields = response.getHeaders();
        boolean isTagged = isSame(fields, gone.getETag());
        if (newer == null || !isWanted(newer, response.getRequest(), isTagged)) {
            fields.remove(OF_THE_FILE);
            FileResponse.removeFieldsOfTheFile(response);
            Response.writeError(
                    response.getRequest(),
                    response,
                    callback,
                    newer == null ? HttpStatus.NOT_FOUND_404 : HttpStatus.PRECONDITION_FAILED_412);
            return;
        }
        if (isTagged) {
            fields.put(newer.getETag());
        } else if (fields.contains(HttpHeader.CONTENT_ENCODING)) {
            // The tag of a pre-compressed variant is of a version that is gone, or of the file itself as it was then.
            fields.remove(HttpHeader.ETAG);
        }
        if (isSame(fields, gone.getLastModified())) {
            fields.put(newer.getLastModified());
        }
        boolean isPart = response.getStatus() == HttpStatus.PARTIAL_CONTENT_206;
        if (isPart) {
            // Of which version the client wanted a part is not known: a server may send the whole (RFC 9110 section
            // 14.2).
            response.setStatus(HttpStatus.OK_200);
            fields.remove(HttpHeader.CONTENT_RANGE);
        }
        if (isPart || fields.contains(HttpHeader.CONTENT_LENGTH)) {
            fields.put(newer.getContentLength());
        }
        newer.writeTo(response, 0, -1, callback);
    }

    private static boolean isSame(HttpFields fields, @Nullable HttpField field) {
        return field != null && field.getValue().equals(fields.get(field.getHeader()));
    }

    /**
     * Whether the conditions that were true of what is gone are true of what is there (RFC 9110 sections 13.1.1 and 13.1.4). Those of a
     * POST that an application answers by a file are not about the file.
     */
    private static boolean isWanted(HttpContent newer, Request request, boolean isTagged) {
        if (!HttpMethod.GET.is(request.getMethod())) {
            return true;
        }
        String tags = request.getHeaders().get(HttpHeader.IF_MATCH);
        if (tags != null) {
            return !isTagged || tags.equals("*") || tags.contains(newer.getETagValue());
        }
        String latest = request.getHeaders().get(HttpHeader.IF_UNMODIFIED_SINCE);
        long epochMillis = latest == null ? -1 : HttpDateTime.parseToEpoch(latest);
        return epochMillis == -1 || newer.getLastModifiedInstant().getEpochSecond() <= epochMillis / 1000;
    }
}
