package dev.millrace.xsendfile;

import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Set;
import org.eclipse.jetty.http.CompressedContentFormat;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.content.HttpContent;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What an application wants to be sent, as its response fields say it.
 *
 * @param file what {@link DelegatedRoots} found; null when it may not be sent
 * @param named what the application named
 * @param downloadId how the application calls this transfer; null when it does not
 */
record DelegatedFile(
        @Nullable RootedFile file, String named, @Nullable String downloadId) {
    /** See {@link XSendfileHandler#FILE_ATTRIBUTE}. */
    static final String ATTRIBUTE = "dev.millrace.xsendfile.file";

    static final String X_SENDFILE = "X-Sendfile";
    static final String X_ACCEL_REDIRECT = "X-Accel-Redirect";
    static final String X_DOWNLOAD_ID = "X-Download-Id";

    private static final Logger LOG = LoggerFactory.getLogger(DelegatedFile.class);

    /**
     * @param file by its real path, named by the server's own code: no root is asked, and no link leads from it
     * @return what is sent of it
     */
    static DelegatedFile trusted(Path file) {
        if (file.getFileSystem() != FileSystems.getDefault()) {
            // Files are found by their names, which another file of the default file system may have.
            LOG.warn("Not sending {}: it is not of the default file system", file.toUri());
            return new DelegatedFile(null, file.toString(), null);
        }
        Path directory = Objects.requireNonNullElse(file.getParent(), file);
        return new DelegatedFile(new RootedFile(directory, file), file.toString(), null);
    }

    /** Whether a response names a file. */
    static boolean isIn(HttpFields headers) {
        return headers.contains(X_SENDFILE) || headers.contains(X_ACCEL_REDIRECT);
    }

    /**
     * Takes our fields out: clients must not see them.
     *
     * @param isFetched whether another server has sent them
     * @return what they name; null when they name nothing
     */
    static @Nullable DelegatedFile take(HttpFields.Mutable headers, DelegatedRoots roots, boolean isFetched) {
        String path = get(headers, X_SENDFILE, isFetched);
        String uri = get(headers, X_ACCEL_REDIRECT, isFetched);
        String downloadId = get(headers, X_DOWNLOAD_ID, isFetched);
        strip(headers);
        if (path != null) {
            return new DelegatedFile(roots.byPath(path), path, downloadId);
        }
        return uri == null ? null : new DelegatedFile(roots.byUri(uri), uri, downloadId);
    }

    // Of a field that another server has sent, Jetty makes a character of each byte.
    private static @Nullable String get(HttpFields headers, String name, boolean isFetched) {
        String value = headers.get(name);
        if (value == null || !isFetched) {
            return value;
        }
        try {
            CharBuffer characters = CharBuffer.wrap(value);
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(StandardCharsets.ISO_8859_1.newEncoder().encode(characters))
                    .toString();
        } catch (CharacterCodingException notUtf8) {
            return value;
        }
    }

    /** Takes our fields out, whether they mean something or not. */
    static void strip(HttpFields.Mutable headers) {
        headers.remove(X_SENDFILE);
        headers.remove(X_ACCEL_REDIRECT);
        headers.remove(X_DOWNLOAD_ID);
    }

    /** A content under the type and the entity tag that the application gave. */
    static HttpContent as(HttpContent content, HttpFields response) {
        HttpField type = response.getField(HttpHeader.CONTENT_TYPE);
        HttpField etag = response.getField(HttpHeader.ETAG);
        HttpField encoding = response.getField(HttpHeader.CONTENT_ENCODING);
        return new HttpContent.Wrapper(content) {
            @Override
            public HttpField getContentType() {
                return type == null ? super.getContentType() : type;
            }

            @Override
            public HttpField getETag() {
                return etag == null ? super.getETag() : etag;
            }

            @Override
            public Set<CompressedContentFormat> getPreCompressedContentFormats() {
                // Known to be none: so Jetty does not tell caches that the answer varies by coding.
                return Set.of();
            }

            @Override
            public HttpField getContentEncoding() {
                return encoding == null ? super.getContentEncoding() : encoding;
            }
        };
    }
}
