package dev.millrace.files;

import dev.millrace.files.cache.OpenFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.eclipse.jetty.http.CompressedContentFormat;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.http.PreEncodedHttpField;
import org.eclipse.jetty.http.content.HttpContent;
import org.eclipse.jetty.http.content.PreCompressedHttpContent;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.AliasCheck;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.ResourceService;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.handler.ContextHandler;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * Jetty's service of files, as {@link SendfileHandler} and others use it. It judges conditions and ranges itself where Jetty's own
 * rules are wrong or without bounds. The parts of several ranges go by the kernel.
 */
public final class FilesService extends ResourceService {
    private static final HttpField VARY_BY_ENCODING =
            new PreEncodedHttpField(HttpHeader.VARY, HttpHeader.ACCEPT_ENCODING.asString());

    private static final EnumSet<HttpHeader> CONDITIONS = EnumSet.of(
            HttpHeader.RANGE,
            HttpHeader.IF_RANGE,
            HttpHeader.IF_MATCH,
            HttpHeader.IF_NONE_MATCH,
            HttpHeader.IF_MODIFIED_SINCE,
            HttpHeader.IF_UNMODIFIED_SINCE);

    /** Conditions that ask whether there is another version than the client's. */
    private static final EnumSet<HttpHeader> OF_ANOTHER_VERSION =
            EnumSet.of(HttpHeader.IF_NONE_MATCH, HttpHeader.IF_MODIFIED_SINCE);

    private final Supplier<SendfileSettings> settings;
    private final BooleanSupplier isServingOpenFiles;

    /**
     * A response that varies already, by {@code Origin} for example, before it is of a file. Jetty puts what the file
     * varies by in place of that.
     */
    private static final class VariedResponse extends PassiveResponse {
        private VariedResponse(Request request, Response wrapped) {
            super(request, wrapped);
        }

        @Override
        public HttpFields.Mutable getHeaders() {
            return new HttpFields.Mutable.Wrapper(super.getHeaders()) {
                @Override
                public HttpField onReplaceField(HttpField old, HttpField replacing) {
                    if (old.getHeader() != HttpHeader.VARY) {
                        return replacing;
                    }
                    HttpFields.Mutable both = HttpFields.build().add(old);
                    both.ensureField(replacing);
                    return both.getField(HttpHeader.VARY);
                }

                @Override
                public boolean onRemoveField(HttpField field) {
                    return field.getHeader() != HttpHeader.VARY;
                }
            };
        }
    }

    /**
     * Jetty's handler makes this in its constructor, before our subclass has its fields. So both are asked with each request.
     *
     * @param isServingOpenFiles whether a {@link SendfileContentFactory} finds the contents; a handler may have been given another
     */
    public FilesService(Supplier<SendfileSettings> settings, BooleanSupplier isServingOpenFiles) {
        this.settings = settings;
        this.isServingOpenFiles = isServingOpenFiles;
    }

    private static Request with(Request request, @Nullable HttpFields headers) {
        return headers == null
                ? request
                : new Request.Wrapper(request) {
                    @Override
                    public HttpFields getHeaders() {
                        return headers;
                    }
                };
    }

    private static Request without(Request request, EnumSet<HttpHeader> fields) {
        return with(request, HttpFields.build(request.getHeaders(), fields).asImmutable());
    }

    private static Request withoutRange(Request request) {
        return without(request, EnumSet.of(HttpHeader.RANGE));
    }

    @Override
    public @Nullable HttpContent getContent(String path, Request request) throws IOException {
        List<CompressedContentFormat> variants = getPrecompressedFormats();
        if (variants.isEmpty()) {
            return super.getContent(path, request);
        }
        try {
            HttpContent content = super.getContent(path, AcceptedEncodings.named(request, variants));
            return isEtags() && content instanceof PreCompressedHttpContent variant
                    ? EntityTags.ofItsOwn(variant, variants)
                    : content;
        } catch (IllegalArgumentException malformed) {
            // What the client accepts, for which Jetty would answer 500. Anything else fails again.
            return super.getContent(path, without(request, EnumSet.of(HttpHeader.ACCEPT_ENCODING)));
        }
    }

    /** Conditions and ranges of a method other than GET and HEAD are not about the file. */
    @Override
    public void doGet(Request request, Response response, Callback callback, HttpContent content) {
        boolean isAboutTheFile = HttpMethod.GET.is(request.getMethod()) || HttpMethod.HEAD.is(request.getMethod());
        boolean hasVary = response.getHeaders().contains(HttpHeader.VARY)
                && !content.getResource().isDirectory();
        get(
                isAboutTheFile ? request : without(request, CONDITIONS),
                hasVary ? new VariedResponse(request, response) : response,
                callback,
                content);
    }

    private void get(Request request, Response response, Callback callback, HttpContent content) {
        HttpFields fields = request.getHeaders();
        if (!fields.contains(HttpHeader.RANGE)) {
            super.doGet(request, response, callback, content);
            return;
        }
        boolean areSeveral = Ranges.areSeveral(fields);
        boolean isDirectory = content.getResource().isDirectory();
        if ((areSeveral && isUnopened(content))
                || (!isDirectory && !Ranges.areAcceptable(fields, content, response, settings.get()))) {
            super.doGet(withoutRange(request), response, callback, content);
        } else if (isDirectory) {
            // The welcome file may be an application's, which says itself what its pages and ranges are like.
            super.doGet(request, response, callback, content);
        } else if (areSeveral && content.getResource() instanceof FileResource resource) {
            sendRanges(request, response, callback, content, resource);
        } else {
            super.doGet(request, new FileResponse(request, response), callback, content);
        }
    }

    // A file that our factory could not open is read by its path, range by range: another version may be there by then.
    private boolean isUnopened(HttpContent content) {
        return CopiedContent.isUnopened(content) && isServingOpenFiles.getAsBoolean();
    }

    private void sendRanges(
            Request request, Response response, Callback callback, HttpContent content, FileResource resource) {
        OpenFile file;
        try {
            file = resource.acquire();
        } catch (IOException gone) {
            // Sends the whole of the file that is there by now.
            super.doGet(withoutRange(request), response, callback, content);
            return;
        }
        PartsResource parts = new PartsResource(new FileResource(resource, file), response, true);
        // The parts go past a compression: ranges are of the bytes as they are.
        Response ranges = new FileResponse(request, response) {
            @Override
            public void write(boolean last, ByteBuffer bytes, Callback written) {
                // The status is set before the first part. An answer without parts, such as an error, goes as usual.
                Content.Sink sink = getStatus() == HttpStatus.PARTIAL_CONTENT_206
                        ? parts.sendPath().sink()
                        : getWrapped();
                sink.write(last, bytes, written);
            }
        };
        // Held for all parts, so that they are of one version.
        ReleasingCallback sent = new ReleasingCallback(file::release, null, callback);
        try {
            super.doGet(request, ranges, sent, parts.of(content));
        } catch (RuntimeException | Error x) {
            sent.failed(x);
        }
    }

    // RFC 9110 sections 13.1.1 and 13.1.2: "*" is any version, and to Jetty a tag that none has. Of two conditions on
    // one side that by date is not looked at; those of the other side come first (13.2.2). Jetty may yet answer 403 for
    // a directory.
    @Override
    protected boolean handleConditionalHeaders(Request asked, Response response, HttpContent content, Callback callback)
            throws IOException {
        if (!hasCondition(asked.getHeaders())) {
            return false;
        }
        Request request = with(asked, EntityTags.comparable(asked.getHeaders(), content.getETagValue()));
        boolean isMatch = "*".equals(request.getHeaders().get(HttpHeader.IF_MATCH));
        boolean isNotModified = "*".equals(request.getHeaders().get(HttpHeader.IF_NONE_MATCH))
                && !content.getResource().isDirectory()
                && !isUnopened(content);
        try {
            if (handleInOrder(undecided(request, isMatch, isNotModified), response, content, callback)) {
                return true;
            }
        } catch (HttpException.RuntimeException | IndexOutOfBoundsException x) {
            if (!EntityTags.areMalformed(request)) {
                throw x;
            }
            // The fault of the peer, for which Jetty would log a stack trace.
            writeHttpError(request, response, callback, HttpStatus.BAD_REQUEST_400);
            return true;
        }
        if (isNotModified) {
            putNotModifiedHeaders(response, content);
            writeHttpError(request, response, callback, HttpStatus.NOT_MODIFIED_304);
        }
        return isNotModified;
    }

    // Most requests have none: one pass over their fields, in place of one for each condition.
    private static boolean hasCondition(HttpFields fields) {
        for (HttpField field : fields) {
            if (field.getHeader() != null && CONDITIONS.contains(field.getHeader())) {
                return true;
            }
        }
        return false;
    }

    private static Request undecided(Request request, boolean isMatch, boolean isNotModified) {
        Request rest =
                isMatch ? without(request, EnumSet.of(HttpHeader.IF_MATCH, HttpHeader.IF_UNMODIFIED_SINCE)) : request;
        return isNotModified ? without(rest, OF_ANOTHER_VERSION) : rest;
    }

    // Jetty judges If-Unmodified-Since after the conditions of another version, and not at all beside If-None-Match.
    private boolean handleInOrder(Request request, Response response, HttpContent content, Callback callback)
            throws IOException {
        HttpFields fields = request.getHeaders();
        if (!fields.contains(HttpHeader.IF_UNMODIFIED_SINCE) || fields.contains(HttpHeader.IF_MATCH)) {
            return handleVersions(request, response, content, callback);
        }
        return handleVersions(without(request, OF_ANOTHER_VERSION), response, content, callback)
                || handleVersions(
                        without(request, EnumSet.of(HttpHeader.IF_UNMODIFIED_SINCE)), response, content, callback);
    }

    // Where there are no variants, the tag may be one that an application has made, in any form.
    private boolean handleVersions(Request request, Response response, HttpContent content, Callback callback)
            throws IOException {
        String etag = content.getETagValue();
        Set<CompressedContentFormat> variants = content.getPreCompressedContentFormats();
        if (etag == null || variants == null) {
            return super.handleConditionalHeaders(request, response, content, callback);
        }
        boolean areComparedInPart = EntityTags.areComparedInPart(request.getHeaders(), etag);
        if (!variants.isEmpty()) {
            // To a client that is to have the file as it is, a 304 must not name a variant.
            boolean isOfFile = areComparedInPart && content.getContentEncoding() == null;
            return super.handleConditionalHeaders(
                    isOfFile ? with(request, EntityTags.exactly(etag, request.getHeaders())) : request,
                    response,
                    content,
                    callback);
        }
        return super.handleConditionalHeaders(
                areComparedInPart ? with(request, EntityTags.only(etag, request.getHeaders())) : request,
                response,
                etag.indexOf('-') >= 0 || EntityTags.isEmpty(etag) ? EntityTags.suffixed(content, etag) : content,
                callback);
    }

    // RFC 9110 section 15.4.5 wants these two as well, and Jetty puts them only into a 200. The entity tag of what is
    // yet to be compressed is not known here.
    @Override
    protected void putNotModifiedHeaders(Response response, HttpContent content) {
        HttpFields.Mutable headers = response.getHeaders();
        if (!content.getResource().isDirectory()) {
            Set<CompressedContentFormat> variants = content.getPreCompressedContentFormats();
            if (variants == null || !variants.isEmpty()) {
                headers.ensureField(VARY_BY_ENCODING);
            }
            HttpField etag = isEtags() ? content.getETag() : null;
            if (etag != null && !headers.contains(HttpHeader.ETAG) && !SendPath.mayChangeContent(response)) {
                headers.put(etag);
            }
        }
        super.putNotModifiedHeaders(response, content);
    }

    // A 304 is written as no error: Jetty's error handler forbids caching, and RFC 9110 section 15.4.5 wants the fields
    // that a 200 would have.
    @Override
    protected void writeHttpError(Request request, Response response, Callback callback, int status) {
        if (status == HttpStatus.NOT_MODIFIED_304) {
            response.setStatus(status);
            // A CompressionHandler around puts the client's condition there, which may be "*" or several tags.
            HttpFields.Mutable headers = response.getHeaders();
            if (EntityTags.isCondition(headers.get(HttpHeader.ETAG))) {
                headers.remove(HttpHeader.ETAG);
            }
            // This write is not the last, though empty: Jetty would add a length of 0, which is not that of a 200
            // (section 8.6).
            response.write(
                    false,
                    BufferUtil.EMPTY_BUFFER,
                    Callback.from(
                            callback.getInvocationType(),
                            () -> response.write(true, BufferUtil.EMPTY_BUFFER, callback),
                            callback::failed));
        } else {
            FileResponse.removeFieldsOfTheFile(response);
            super.writeHttpError(request, response, callback, status);
        }
    }

    @Override
    protected void writeHttpError(Request request, Response response, Callback callback, Throwable cause) {
        FileResponse.removeFieldsOfTheFile(response);
        super.writeHttpError(request, response, callback, cause);
    }

    // Jetty would refuse its own redirect to letters that are not of ASCII, or cut each of them to a byte. Behind two
    // slashes it would lead to another host.
    @Override
    protected void sendRedirect(Request request, Response response, Callback callback, String target) {
        super.sendRedirect(request, response, callback, EncodedPath.of(target.replaceFirst("^//+", "/")));
    }

    // A welcome file is served as if it was asked for by its own name. Jetty's method asks no alias check, and takes
    // for granted that the factory has what is in the directory.
    @Override
    protected void serveWelcome(Request request, Response response, Callback callback, String target) throws Exception {
        HttpContent content = getHttpContentFactory().getContent(target);
        AliasCheck context = ContextHandler.getContextHandler(request);
        if (content == null
                || content.getResource().isDirectory()
                || (context != null && !context.checkAlias(target, content.getResource()))) {
            writeHttpError(request, response, callback, HttpStatus.NOT_FOUND_404);
        } else if (!handleConditionalHeaders(request, response, content, callback)) {
            putHeaders(response, content, content.getContentLengthValue());
            content.writeTo(response, 0, -1, callback);
        }
    }

    @Override
    protected void rehandleWelcome(Request request, Response response, Callback callback, String target)
            throws Exception {
        HttpURI uri = HttpURI.build(request.getHttpURI()).pathQuery(target);
        Server server = request.getConnectionMetaData().getConnector().getServer();
        if (!server.handle(Request.serveAs(request, uri), response, callback)) {
            super.rehandleWelcome(request, response, callback, target);
        }
    }
}
