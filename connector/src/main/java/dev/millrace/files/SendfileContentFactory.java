package dev.millrace.files;

import dev.millrace.transfer.TransferAlgorithm;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Predicate;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.MimeTypes;
import org.eclipse.jetty.http.content.HttpContent;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.handler.ContextHandler;
import org.eclipse.jetty.util.annotation.ManagedAttribute;
import org.eclipse.jetty.util.annotation.ManagedObject;
import org.eclipse.jetty.util.component.ContainerLifeCycle;
import org.eclipse.jetty.util.component.DumpableMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts sendfile behind Jetty's own file serving: it wraps the factory that finds the content, keeps what was found with
 * its file open, and sends what it can by the kernel. What it cannot, it copies from the same open file;
 * {@link #getObstacles()} counts why.
 *
 * <p>{@code ResourceServlet} and {@code DefaultServlet} take their factory from the context attribute
 * {@code org.eclipse.jetty.http.content.HttpContent$Factory}. A {@code PreCompressedHttpContentFactory} belongs around
 * this one, not inside: then the variants are looked up in this one's cache too. Thread-safe.
 *
 * <p>Files should be replaced by an atomic move, not by writing into them: what is written into a file while it is
 * believed to be unchanged goes out under the header fields of before, and ends answers that have sent a part of it.
 */
@ManagedObject("Files by sendfile")
public class SendfileContentFactory extends ContainerLifeCycle implements HttpContent.Factory {
    private static final Logger LOG = LoggerFactory.getLogger(SendfileContentFactory.class);
    /** Names how a response's content went, when {@link #setDebugHeader} says so. */
    public static final String DEBUG_HEADER = "X-Millrace-Sendfile";

    private final HttpContent.Factory wrapped;
    private final Ways ways = new Ways();
    private final OpenFileCache openFiles = new OpenFileCache(2048, 1000);
    private volatile TransferAlgorithm algorithm;
    // Below the first a copy costs less than to map the file; up to the second, less than a segment for the header alone.
    private volatile int minTransferBytes = 16 * 1024;
    private volatile int maxGatherBytes = 64 * 1024;
    private volatile int maxRanges = 16;
    private volatile long maxCompressedBytes = 1024 * 1024;
    private volatile ContentCache contentCache;
    private volatile int maxCacheBytes = 4 * 1024 * 1024;
    private volatile int maxCachedFileBytes = 64 * 1024;
    private volatile Path largePages;
    private volatile Predicate<String> compressible = Compressible::byDefault;
    private Server server;

    /**
     * Made and started in a context, or by a {@link SendfileHandler}: the server's scheduler and threads look after the
     * open files.
     *
     * @param wrapped finds the content, and sends what is no file
     */
    public SendfileContentFactory(HttpContent.Factory wrapped) {
        this.wrapped = wrapped;
        installBean(wrapped);
    }

    @Override
    public HttpContent getContent(String path) throws IOException {
        SendfileContent known = openFiles.get(path);
        if (known != null) {
            return known;
        }
        if (openFiles.isMissing(path)) {
            return null;
        }
        HttpContent content = wrapped.getContent(path);
        if (content == null) {
            openFiles.putMissing(path);
            return null;
        }
        return content.getResource().isDirectory() ? new ListedContent(content) : open(path, content);
    }

    private HttpContent open(String path, HttpContent content) throws IOException {
        Path file = content.getResource().getPath();
        if (file == null || file.getFileSystem() != FileSystems.getDefault()) {
            return new CopiedContent(content, ways);
        }
        try {
            SendfileContent opened = new SendfileContent(this, content, openFiles.open(file));
            openFiles.put(path, opened);
            return opened;
        } catch (IOException x) {
            if (x instanceof NoSuchFileException) {
                // Nor a pipe or a device, at which who opens it may wait for ever.
                LOG.debug("Not serving {}", file, x);
                return null;
            }
            if (openFiles.isContained()) {
                // Who opens it later asks nobody again where it leads.
                throw x;
            }
            // Unreadable, or no more descriptors: Jetty answers as it does for such a file.
            LOG.debug("Cannot open {}", file, x);
            return new CopiedContent(content, ways);
        }
    }

    /** Before the start: takes over the settings of another. */
    void setAs(SendfileContentFactory other) {
        minTransferBytes = other.minTransferBytes;
        maxGatherBytes = other.maxGatherBytes;
        ways.setDebugHeader(other.isDebugHeader());
        maxRanges = other.maxRanges;
        maxCompressedBytes = other.maxCompressedBytes;
        maxCacheBytes = other.maxCacheBytes;
        maxCachedFileBytes = other.maxCachedFileBytes;
        largePages = other.largePages;
        compressible = other.compressible;
        algorithm = other.algorithm;
        openFiles.setMaxFiles(other.getMaxOpenFiles());
        openFiles.setValidMillis(other.getValidMillis());
    }

    /** Before the start: whose scheduler and threads look after open files. */
    void setServer(Server server) {
        this.server = server;
    }

    @ManagedAttribute("Algorithm by which these files are transferred; empty: as each connector says")
    public String getAlgorithm() {
        TransferAlgorithm own = algorithm;
        return own == null ? "" : own.toString();
    }

    /**
     * Chooses how transfers of these files share the workers; takes effect for transfers that begin from then on.
     *
     * @param algorithm see {@link TransferAlgorithm#of}; empty: as each connector says
     * @throws IllegalArgumentException for any other text
     */
    public void setAlgorithm(String algorithm) {
        this.algorithm = algorithm.isEmpty() ? null : TransferAlgorithm.of(algorithm);
    }

    TransferAlgorithm transferAlgorithm() {
        return algorithm;
    }

    @ManagedAttribute("Size in bytes below which content is read from the open file")
    public int getMinTransferBytes() {
        return minTransferBytes;
    }

    /** @param minTransferBytes the size in bytes below which content is read from the open file, and is written with the header */
    public void setMinTransferBytes(int minTransferBytes) {
        this.minTransferBytes = Bounds.atLeast(0, "minTransferBytes", minTransferBytes);
    }

    @ManagedAttribute("Size in bytes up to which larger content is written with the header, from the file's mapping")
    public int getMaxGatherBytes() {
        return maxGatherBytes;
    }

    /**
     * @param maxGatherBytes the size in bytes up to which content that could go by the kernel leaves with the header, by one
     *     writev(2) from the mapping; what the socket does not take then goes by the kernel; 0: none; default 64 KiB
     */
    public void setMaxGatherBytes(int maxGatherBytes) {
        this.maxGatherBytes = Bounds.atLeast(0, "maxGatherBytes", maxGatherBytes);
    }

    @ManagedAttribute("Most files that are kept open")
    public int getMaxOpenFiles() {
        return openFiles.maxFiles();
    }

    /** @param maxOpenFiles the most files that are kept open while nobody is sent them, at least 1; default 2048 */
    public void setMaxOpenFiles(int maxOpenFiles) {
        openFiles.setMaxFiles(Bounds.atLeast(1, "maxOpenFiles", maxOpenFiles));
    }

    @ManagedAttribute("Milliseconds for which a file is believed to be unchanged")
    public long getValidMillis() {
        return openFiles.validMillis();
    }

    /**
     * @param validMillis for how long a file is believed to be unchanged, and a missing one to be missing, in
     *     milliseconds; 0 is not at all, negative is for ever; default 1000
     */
    public void setValidMillis(long validMillis) {
        openFiles.setValidMillis(validMillis);
    }

    @ManagedAttribute("Most bytes of the content cache")
    public int getMaxCacheBytes() {
        return maxCacheBytes;
    }

    /**
     * Small files that are asked for often are sent from memory, outside the Java heap, which is taken as it is needed.
     *
     * @param maxCacheBytes the most bytes of that memory, from the next start on; 0 for none; default 4 MiB
     */
    public void setMaxCacheBytes(int maxCacheBytes) {
        this.maxCacheBytes = Bounds.atLeast(0, "maxCacheBytes", maxCacheBytes);
    }

    @ManagedAttribute("Size in bytes of the largest file that the content cache takes")
    public int getMaxCachedFileBytes() {
        return maxCachedFileBytes;
    }

    /**
     * @param maxCachedFileBytes the size in bytes of the largest file that the content cache takes, from the next start on;
     *     default 64 KiB
     */
    public void setMaxCachedFileBytes(int maxCachedFileBytes) {
        this.maxCachedFileBytes = Bounds.atLeast(0, "maxCachedFileBytes", maxCachedFileBytes);
    }

    /**
     * @param mount a directory on a hugetlbfs mount, for a content cache of large pages; null, the default, for
     *     ordinary ones, which are also used, with a warning, where the system does not grant large ones
     */
    public void setLargePages(Path mount) {
        this.largePages = mount;
    }

    /** @return the directory of {@link #setLargePages}; null for ordinary pages */
    public Path getLargePages() {
        return largePages;
    }

    ContentCache contentCache() {
        return contentCache;
    }

    @ManagedAttribute("Files in the content cache")
    public long getCachedFiles() {
        ContentCache cache = contentCache;
        return cache == null ? 0 : cache.files();
    }

    @ManagedAttribute("Bytes used in the content cache")
    public long getCachedBytes() {
        ContentCache cache = contentCache;
        return cache == null ? 0 : cache.usedBytes();
    }

    @ManagedAttribute("Responses whose content came from the content cache")
    public long getCacheHits() {
        ContentCache cache = contentCache;
        return cache == null ? 0 : cache.hits();
    }

    @ManagedAttribute("Files that came into the content cache")
    public long getCacheAdmissions() {
        ContentCache cache = contentCache;
        return cache == null ? 0 : cache.admissions();
    }

    @ManagedAttribute("Whether responses say how their content went")
    public boolean isDebugHeader() {
        return ways.hasDebugHeader();
    }

    /** @param debugHeader whether responses say in {@link #DEBUG_HEADER} how their content went: "yes", or the obstacle */
    public void setDebugHeader(boolean debugHeader) {
        ways.setDebugHeader(debugHeader);
    }

    @ManagedAttribute("Most ranges of one request that are served")
    public int getMaxRanges() {
        return maxRanges;
    }

    /** @param maxRanges the most ranges of one request that are served; who asks for more is sent the whole; 0: none; default 16 */
    public void setMaxRanges(int maxRanges) {
        this.maxRanges = Bounds.atLeast(0, "maxRanges", maxRanges);
    }

    /**
     * Whether the ranges that a request asks for are to be served: not when they are too many or in several fields or other units, and not when
     * {@code If-Range} (RFC 9110 section 13.1.5) names another version. A weak validator names none.
     *
     * @param request the request's header fields
     * @param content what it asks for
     * @return false when it is to be sent the whole
     */
    public boolean acceptsRanges(HttpFields request, HttpContent content) {
        return Ranges.areAcceptable(request, content, maxRanges);
    }

    /**
     * For a request of several ranges: Jetty writes them part after part, and asks the resource for each.
     *
     * @param content what is asked for
     * @param response what Jetty will write the parts to, itself and not a wrapper of it
     * @return the same content, whose parts go by the kernel where that is possible
     */
    public HttpContent withParts(HttpContent content, Response response) {
        return content != null && content.getResource() instanceof FileResource file
                ? RangesResponse.of(content, new PartsResource(file, this, response, false)) : content;
    }

    @ManagedAttribute("Most bytes of a file that a compression around is given")
    public long getMaxCompressedBytes() {
        return maxCompressedBytes;
    }

    /**
     * @param maxCompressedBytes the most bytes of a compressible file that a {@code CompressionHandler} around is given; default 1 MiB
     */
    public void setMaxCompressedBytes(long maxCompressedBytes) {
        this.maxCompressedBytes = Bounds.atLeast(0, "maxCompressedBytes", maxCompressedBytes);
    }

    /**
     * @param compressible tells by its MIME type whether a file is worth compressing; others pass a {@code CompressionHandler} by
     */
    public void setCompressible(Predicate<String> compressible) {
        this.compressible = compressible;
    }

    boolean isCompressible(HttpField contentType, long sizeBytes) {
        return sizeBytes <= maxCompressedBytes && contentType != null
                && compressible.test(MimeTypes.getContentTypeWithoutCharset(contentType.getValue()));
    }

    @ManagedAttribute("Responses whose content went by the kernel")
    public long getTransfers() {
        return ways.transfers();
    }

    @ManagedAttribute("Open files in the cache")
    public long getOpenFiles() {
        return openFiles.size();
    }

    @ManagedAttribute("Paths that are known to lead nowhere")
    public long getMissingPaths() {
        return openFiles.missingSize();
    }

    @ManagedAttribute("How often which obstacle made content go by a copy")
    public Map<String, Long> getObstacles() {
        return ways.copiesByObstacle();
    }

    /** Counts the way of a part of a file, and says it in the response if that is wanted. */
    void onRoute(Content.Sink sink, Route route, Path file, long position, long bytes) {
        ways.onRoute(sink, route, file, position, bytes);
    }

    OpenFileCache openFiles() {
        return openFiles;
    }

    @Override
    protected void doStart() throws Exception {
        if (server == null) {
            ContextHandler context = ContextHandler.getCurrentContextHandler();
            server = context == null ? null : context.getServer();
        }
        super.doStart();
        // That of the last start is garbage before: there may be large pages for one only, and who maps has it collected.
        contentCache = null;
        contentCache = ContentCache.of(largePages, maxCacheBytes, maxCachedFileBytes);
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
        dumpObjects(out, indent, openFiles, contentCache == null ? "no content cache" : contentCache,
                new DumpableMap("obstacles", getObstacles()));
    }

    @Override
    public String toString() {
        return "SendfileContentFactory[" + wrapped.getClass().getSimpleName() + ",transfers=" + getTransfers() + "]";
    }
}
