package dev.millrace.files;

import dev.millrace.files.cache.Containment;
import dev.millrace.files.cache.ContentCache;
import dev.millrace.files.cache.OpenFile;
import dev.millrace.files.cache.OpenFileCache;
import dev.millrace.transfer.OpenFileBudget;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToLongFunction;
import org.eclipse.jetty.http.CompressedContentFormat;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.content.HttpContent;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.handler.ContextHandler;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.annotation.ManagedAttribute;
import org.eclipse.jetty.util.annotation.ManagedObject;
import org.eclipse.jetty.util.component.ContainerLifeCycle;
import org.eclipse.jetty.util.component.DumpableMap;
import org.eclipse.jetty.util.component.LifeCycle;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts sendfile behind Jetty's own file serving. It wraps the factory that finds the content, keeps what was found with
 * its file open, and sends what it can by the kernel. What it cannot, it copies from the same open file;
 * {@link #getObstacles()} counts why.
 *
 * <p>{@code ResourceServlet} and {@code DefaultServlet} take their factory from the context attribute
 * {@code org.eclipse.jetty.http.content.HttpContent$Factory}. A {@code PreCompressedHttpContentFactory} belongs around
 * this one, not inside: then the variants are looked up in this one's cache too. Thread-safe.
 *
 * <p>Files should be replaced by an atomic move, not by writing into them. Bytes that are written into a file while it
 * is taken to be unchanged leave under its former header fields. An answer that has sent a part of the file by then is cut off.
 */
@ManagedObject("Files by sendfile")
public class SendfileContentFactory extends ContainerLifeCycle implements HttpContent.Factory {
    private static final Logger LOG = LoggerFactory.getLogger(SendfileContentFactory.class);

    private final HttpContent.Factory wrapped;
    private final SendfileSettings settings;
    private final OpenFileCache<SendfileContent> openFiles;
    private final Mount mount;
    private final ContentCache.Counts contentCounts = new ContentCache.Counts();
    private volatile @Nullable ContentCache contentCache;
    private @Nullable Server server;
    /** Null where others look for variants. */
    private @Nullable List<CompressedContentFormat> formats;

    /**
     * With settings of its own. Where it is started in a context, the threads of that context's server look after the open files.
     *
     * @param wrapped finds the content, and sends what is no file
     */
    public SendfileContentFactory(HttpContent.Factory wrapped) {
        this(wrapped, new SendfileSettings());
        installBean(settings);
    }

    /** @param settings shared with others; the caller makes them known to JMX */
    SendfileContentFactory(HttpContent.Factory wrapped, SendfileSettings settings) {
        this.wrapped = wrapped;
        this.settings = settings;
        this.openFiles =
                new OpenFileCache<>(settings::getMaxOpenFiles, settings::getValidMillis, SendfileContent::retire);
        openFiles.setFinder(CombinedFinder.of(wrapped));
        this.mount = new Mount(settings, openFiles, path -> getContent(path, settings.getMissingMillis()));
        if (wrapped instanceof LifeCycle) {
            installBean(wrapped);
        }
    }

    /** @return how files are kept open and sent; the same for this factory's life */
    public SendfileSettings getSettings() {
        return settings;
    }

    @Override
    public @Nullable HttpContent getContent(String path) throws IOException {
        HttpContent content = getContent(path, settings.getMissingMillis());
        List<CompressedContentFormat> wanted = formats;
        // A directory has no variants: one of its name and an extension is a file of its own.
        return content == null
                        || wanted == null
                        || wanted.isEmpty()
                        || content.getResource().isDirectory()
                ? content
                : withVariants(content, variants(path, wanted));
    }

    private Set<CompressedContentFormat> variants(String path, List<CompressedContentFormat> wanted) {
        Set<CompressedContentFormat> variants = new HashSet<>();
        for (CompressedContentFormat format : wanted) {
            if (isVariant(path + format.getExtension())) {
                variants.add(format);
            }
        }
        return variants;
    }

    // A variant that cannot be opened is none: the file itself can be sent without it. Nor is a directory, to which
    // Jetty would redirect, and from there back. That there is none is remembered for as long as the file is valid.
    private boolean isVariant(String path) {
        try {
            HttpContent content = getContent(path, settings.getValidMillis());
            return content != null && !content.getResource().isDirectory() && !CopiedContent.isUnopened(content);
        } catch (IOException x) {
            LOG.debug("Cannot open {}", path, x);
            return false;
        }
    }

    private static HttpContent withVariants(HttpContent content, Set<CompressedContentFormat> variants) {
        return new HttpContent.Wrapper(content) {
            @Override
            public Set<CompressedContentFormat> getPreCompressedContentFormats() {
                return variants;
            }
        };
    }

    private @Nullable HttpContent getContent(String path, long missingMillis) throws IOException {
        SendfileContent known = openFiles.get(path);
        if (known != null) {
            return known;
        }
        if (openFiles.isMissing(path, missingMillis)) {
            return null;
        }
        HttpContent found = wrapped.getContent(path);
        if (found == null) {
            openFiles.putMissing(path, missingMillis);
            return null;
        }
        HttpContent content = formats == null ? found : withVariants(found, Set.of());
        return content.getResource().isDirectory() ? listed(content) : open(path, content);
    }

    // Since it was looked up, a directory's path may have come to lead to a file, such as by a link out of the root.
    // Jetty would send that file.
    private static HttpContent listed(HttpContent directory) {
        return new HttpContent.Wrapper(directory) {
            @Override
            public void writeTo(Content.Sink sink, long offset, long length, Callback callback) {
                callback.failed(new NoSuchFileException(getResource().getName(), null, "was a directory"));
            }
        };
    }

    /**
     * @param found is no directory
     * @return null when there is no file that could be opened
     */
    private @Nullable HttpContent open(String path, HttpContent found) throws IOException {
        Path file = found.getResource().getPath();
        if (file == null || file.getFileSystem() != FileSystems.getDefault()) {
            return new CopiedContent(mount, found);
        }
        try {
            return openFiles.add(
                    path,
                    file,
                    found.getResource().getRealURI(),
                    opened -> new SendfileContent(mount, path, found, opened, slot(opened)));
        } catch (NoSuchFileException x) {
            // Pipes and devices too: to open one may take for ever.
            LOG.debug("Not serving {}", file, x);
            return null;
        } catch (IOException x) {
            if (openFiles.isContained()) {
                // A later opening by its path would not be checked for where that leads.
                throw x;
            }
            // Unreadable, or no more descriptors: Jetty answers as it does for such a file.
            LOG.debug("Cannot open {}", file, x);
            return new CopiedContent(mount, found);
        }
    }

    private ContentCache.@Nullable Slot slot(OpenFile opened) {
        ContentCache cache = contentCache;
        return cache == null ? null : cache.slot(opened);
    }

    /**
     * Called before the start.
     *
     * @param server whose scheduler and threads look after open files; by default that of the context in which this starts
     */
    public void setServer(@Nullable Server server) {
        this.server = server;
    }

    /**
     * Looks for pre-compressed variants with each request, as Jetty does, whatever it accepts. Called before the start.
     *
     * @param formats may change at any time
     */
    void setVariants(List<CompressedContentFormat> formats) {
        this.formats = formats;
    }

    /**
     * For the handlers of this library, which no context checks. Called before the start.
     *
     * @param containment where files may be sent from; null: from wherever they are found
     */
    public void setContainment(@Nullable Containment containment) {
        openFiles.setContainment(containment);
    }

    /**
     * Whether the ranges that a request asks for are to be served. They are not when they are too many, in several fields, or in other
     * units; nor when {@code If-Range} (RFC 9110 section 13.1.5) names another version. A weak validator names none,
     * such as a date whose second is not over, or that two codings of the file have in common.
     *
     * @param request the request's header fields
     * @param content what it asks for
     * @param response what the whole would be written to: its fields say that it varies where a handler around may compress it
     * @return false when the whole is to be sent
     */
    public boolean acceptsRanges(HttpFields request, HttpContent content, Response response) {
        return Ranges.areAcceptable(request, content, response, settings);
    }

    /**
     * Looks up for a request of several ranges. Jetty asks the resource for each of them: the file is kept open until the request has
     * ended, so that all are of one version.
     *
     * @param lookUp leads to this factory
     * @param path what is asked for
     * @param request keeps the file open until it has ended
     * @return null when there is nothing
     * @throws IOException when it cannot be opened
     */
    public @Nullable HttpContent hold(HttpContent.Factory lookUp, String path, Request request) throws IOException {
        HttpContent content = lookUp.getContent(path);
        try {
            return hold(content, request);
        } catch (IOException gone) {
            // Closed since, and another version by now.
            LOG.debug("Looked up once more", gone);
            return hold(lookUp.getContent(path), request);
        }
    }

    private static @Nullable HttpContent hold(@Nullable HttpContent content, Request request) throws IOException {
        return content != null && content.getResource() instanceof FileResource file
                ? file.hold(content, request)
                : content;
    }

    /**
     * For a request of several ranges: Jetty writes them part after part, and asks the resource for each.
     *
     * @param content what {@link #hold} has returned
     * @param response what Jetty will write the parts to, itself and not a wrapper of it
     * @return the same content, whose parts go by the kernel where that is possible
     */
    public @Nullable HttpContent withParts(@Nullable HttpContent content, Response response) {
        return content != null && content.getResource() instanceof FileResource file
                ? new PartsResource(file, response, false).of(content)
                : content;
    }

    @ManagedAttribute("Responses whose content went by the kernel")
    public long getTransfers() {
        return mount.transfers();
    }

    @ManagedAttribute("How often which obstacle made content go by a copy")
    public Map<String, Long> getObstacles() {
        return mount.copiesByObstacle();
    }

    @ManagedAttribute("Bytes of content that did not go by the kernel, by the obstacle")
    public Map<String, Long> getCopiedBytes() {
        return mount.copiedBytesByObstacle();
    }

    @ManagedAttribute("How often a path led to an open file in the cache")
    public long getOpenFileHits() {
        return openFiles.hits();
    }

    @ManagedAttribute("How often a path led to no open file in the cache")
    public long getOpenFileMisses() {
        return openFiles.misses();
    }

    @ManagedAttribute("Open files that left the cache because there were too many, or nobody asked for them")
    public long getOpenFileEvictions() {
        return openFiles.evicted();
    }

    @ManagedAttribute("Open files in the cache")
    public long getOpenFiles() {
        return openFiles.size();
    }

    @ManagedAttribute("Paths that are known to lead nowhere")
    public long getMissingPaths() {
        return openFiles.missingSize();
    }

    @ManagedAttribute("Files in the content cache")
    public long getCachedFiles() {
        return ofContentCache(ContentCache::files);
    }

    @ManagedAttribute("Bytes used in the content cache")
    public long getCachedBytes() {
        return ofContentCache(ContentCache::usedBytes);
    }

    @ManagedAttribute("Responses whose content came from the content cache")
    public long getCacheHits() {
        return contentCounts.hits().sum();
    }

    @ManagedAttribute("Responses whose content could have come from the content cache, and was not there")
    public long getCacheMisses() {
        return contentCounts.misses().sum();
    }

    @ManagedAttribute("Files that left the content cache for others")
    public long getCacheEvictions() {
        return contentCounts.evicted().sum();
    }

    @ManagedAttribute("Files that came into the content cache")
    public long getCacheAdmissions() {
        return contentCounts.admissions().sum();
    }

    private long ofContentCache(ToLongFunction<ContentCache> figure) {
        ContentCache cache = contentCache;
        return cache == null ? 0 : figure.applyAsLong(cache);
    }

    @Nullable ContentCache contentCache() {
        return contentCache;
    }

    OpenFileCache<SendfileContent> openFiles() {
        return openFiles;
    }

    @Override
    protected void doStart() throws Exception {
        if (server == null) {
            ContextHandler context = ContextHandler.getCurrentContextHandler();
            server = context == null ? null : context.getServer();
        }
        super.doStart();
        // Large pages may suffice for one cache only. That of the last start is dropped first, so that it can be
        // collected.
        contentCache = null;
        contentCache = ContentCache.of(
                settings.getLargePages(), settings.getMaxCacheBytes(), settings.getMaxCachedFileBytes(), contentCounts);
        openFiles.start(server);
    }

    @Override
    protected void doStop() throws Exception {
        openFiles.stop();
        if (contentCache != null) {
            contentCache.clear();
        }
        super.doStop();
    }

    @Override
    public void dump(Appendable out, String indent) throws IOException {
        dumpObjects(
                out,
                indent,
                openFiles,
                OpenFileBudget.ofProcess(),
                contentCache == null ? "no content cache" : contentCache,
                new DumpableMap("obstacles", getObstacles()));
    }

    @Override
    public String toString() {
        return "SendfileContentFactory[" + wrapped.getClass().getSimpleName() + ",transfers=" + getTransfers() + "]";
    }
}
