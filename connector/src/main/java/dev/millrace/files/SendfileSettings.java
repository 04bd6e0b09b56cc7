package dev.millrace.files;

import dev.millrace.transfer.TransferAlgorithm;
import java.nio.file.Path;
import java.util.Set;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.MimeTypes;
import org.eclipse.jetty.util.annotation.ManagedAttribute;
import org.eclipse.jetty.util.annotation.ManagedObject;
import org.jspecify.annotations.Nullable;

/**
 * How files are kept open and sent. One object may serve several factories, as that of a {@link ServerSendfile} does. A
 * change takes effect for the answers that begin after it. A bound of the open-file cache takes effect with its next
 * file, or its next look at its files. Thread-safe.
 */
@ManagedObject("Settings of files by sendfile")
public final class SendfileSettings {
    /** The response field that tells how the content was sent, when {@link #setDebugHeader} says so. */
    public static final String DEBUG_HEADER = "X-Millrace-Sendfile";

    /** Types that become notably smaller, beside text, XML and JSON. */
    private static final Set<String> COMPRESSIBLE = Set.of(
            "application/javascript",
            "application/json",
            "application/wasm",
            "application/x-javascript",
            "application/xml",
            "application/rtf",
            "font/ttf",
            "font/otf",
            "image/bmp",
            "image/x-icon",
            "image/vnd.microsoft.icon");

    private volatile @Nullable TransferAlgorithm algorithm;
    // To map a smaller file costs more than to copy it.
    private volatile int minTransferBytes = 16 * 1024;
    // For a larger file, a segment of its own for the header costs less than to copy the file.
    private volatile int maxGatherBytes = 64 * 1024;
    private volatile int maxOpenFiles = 2048;
    private volatile long validMillis;
    private volatile long missingMillis;
    private volatile int maxRanges = 16;
    private volatile long maxCompressedBytes = 1024 * 1024;
    private volatile int maxCacheBytes = 4 * 1024 * 1024;
    private volatile int maxCachedFileBytes = 64 * 1024;
    private volatile @Nullable Path largePages;
    private volatile boolean debugHeader;

    /** The defaults. */
    public SendfileSettings() {}

    private static long atLeast(long least, String name, long value) {
        if (value < least) {
            throw new IllegalArgumentException(name + " is at least " + least + ", not " + value);
        }
        return value;
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

    /** @return null: as each connector says */
    @Nullable TransferAlgorithm transferAlgorithm() {
        return algorithm;
    }

    @ManagedAttribute("Size in bytes below which content is read from the open file")
    public int getMinTransferBytes() {
        return minTransferBytes;
    }

    /**
     * @param minTransferBytes the size in bytes below which content is read from the open file, and is written with the header;
     *     default 16 KiB
     */
    public void setMinTransferBytes(int minTransferBytes) {
        this.minTransferBytes = (int) atLeast(0, "minTransferBytes", minTransferBytes);
    }

    @ManagedAttribute("Size in bytes up to which larger content is written with the header, from the file's mapping")
    public int getMaxGatherBytes() {
        return maxGatherBytes;
    }

    /**
     * @param maxGatherBytes the size in bytes up to which content that could go by the kernel leaves with the header,
     *     by one writev(2) from the mapping. What the socket does not take then goes by the kernel. 0: none; default 64
     *     KiB
     */
    public void setMaxGatherBytes(int maxGatherBytes) {
        this.maxGatherBytes = (int) atLeast(0, "maxGatherBytes", maxGatherBytes);
    }

    @ManagedAttribute("Most files that are kept open")
    public int getMaxOpenFiles() {
        return maxOpenFiles;
    }

    /** @param maxOpenFiles the most files that are kept open while no answer sends them, at least 1; default 2048 */
    public void setMaxOpenFiles(int maxOpenFiles) {
        this.maxOpenFiles = (int) atLeast(1, "maxOpenFiles", maxOpenFiles);
    }

    @ManagedAttribute("Milliseconds for which a file is taken to be unchanged")
    public long getValidMillis() {
        return validMillis;
    }

    /**
     * @param validMillis for how long a file is taken to be unchanged, and to have no other pre-compressed variants, in
     *     milliseconds. 0, the default, is not at all: each request looks at its file, by one system call. Negative is
     *     for ever.
     */
    public void setValidMillis(long validMillis) {
        this.validMillis = validMillis;
    }

    @ManagedAttribute("Milliseconds for which a path is taken to lead nowhere")
    public long getMissingMillis() {
        return missingMillis;
    }

    /**
     * @param missingMillis for how long a path that was found to lead nowhere is taken to, in milliseconds. 0, the
     *     default, is not at all; negative is for ever.
     */
    public void setMissingMillis(long missingMillis) {
        this.missingMillis = missingMillis;
    }

    @ManagedAttribute("Most ranges of one request that are served")
    public int getMaxRanges() {
        return maxRanges;
    }

    /** @param maxRanges the most ranges of one request that are served; a request for more gets the whole; 0: none; default 16 */
    public void setMaxRanges(int maxRanges) {
        this.maxRanges = (int) atLeast(0, "maxRanges", maxRanges);
    }

    @ManagedAttribute("Most bytes of a file that a compression around is given")
    public long getMaxCompressedBytes() {
        return maxCompressedBytes;
    }

    /**
     * @param maxCompressedBytes the most bytes of a compressible file that a {@code CompressionHandler} around is given; default 1 MiB
     */
    public void setMaxCompressedBytes(long maxCompressedBytes) {
        this.maxCompressedBytes = atLeast(0, "maxCompressedBytes", maxCompressedBytes);
    }

    /** @return whether content of a type becomes notably smaller; false when the type is not known */
    static boolean isCompressible(@Nullable HttpField contentType) {
        if (contentType == null) {
            return false;
        }
        String type = MimeTypes.getContentTypeWithoutCharset(contentType.getValue());
        return type.startsWith("text/")
                || type.endsWith("+xml")
                || type.endsWith("+json")
                || COMPRESSIBLE.contains(type);
    }

    /** Whether a compression around is given a file. It is given each file that is too small to be transferred, of whatever type. */
    boolean isForCompression(boolean isCompressible, long sizeBytes) {
        return sizeBytes < minTransferBytes || (isCompressible && sizeBytes <= maxCompressedBytes);
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
        this.maxCacheBytes = (int) atLeast(0, "maxCacheBytes", maxCacheBytes);
    }

    @ManagedAttribute("Size in bytes of the largest file that the content cache takes")
    public int getMaxCachedFileBytes() {
        return maxCachedFileBytes;
    }

    /**
     * @param maxCachedFileBytes the size in bytes of the largest file that the content cache takes, from the next start on;
     *     default 64 KiB. Where the kernel cannot send, as over TLS, it takes larger ones: up to a quarter of its bytes.
     *     Without large pages they have 1 MiB at most, or this size if that is more.
     */
    public void setMaxCachedFileBytes(int maxCachedFileBytes) {
        this.maxCachedFileBytes = (int) atLeast(0, "maxCachedFileBytes", maxCachedFileBytes);
    }

    /** @return the directory of {@link #setLargePages}; null for ordinary pages */
    public @Nullable Path getLargePages() {
        return largePages;
    }

    /**
     * @param mount a directory on a hugetlbfs mount, for a content cache of large pages, from the next start on. Null,
     *     the default, is for ordinary ones. They are also used, with a warning, where the system does not grant large
     *     ones.
     */
    public void setLargePages(@Nullable Path mount) {
        this.largePages = mount;
    }

    @ManagedAttribute("Whether responses say how their content was sent")
    public boolean isDebugHeader() {
        return debugHeader;
    }

    /** @param debugHeader whether responses say in {@link #DEBUG_HEADER} how their content was sent: "yes", or the obstacle */
    public void setDebugHeader(boolean debugHeader) {
        this.debugHeader = debugHeader;
    }
}
