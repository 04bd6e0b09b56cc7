package dev.millrace.files;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.eclipse.jetty.http.content.HttpContent;
import org.eclipse.jetty.util.annotation.ManagedAttribute;
import org.eclipse.jetty.util.annotation.ManagedObject;
import org.eclipse.jetty.util.component.AbstractLifeCycle;

/**
 * Puts sendfile behind Jetty's own file serving: it wraps the factory that finds the content, and sends what it can by
 * the kernel. What it cannot, the wrapped content sends as ever; {@link #getObstacles()} counts why.
 *
 * <p>{@code ResourceServlet} and {@code DefaultServlet} take their factory from the context attribute
 * {@code org.eclipse.jetty.http.content.HttpContent$Factory}. Thread-safe.
 */
@ManagedObject("Files by sendfile")
public class SendfileContentFactory extends AbstractLifeCycle implements HttpContent.Factory {
    /** Below this, a copy into the headers' write costs less than a system call of its own. */
    private static final int MIN_TRANSFER_BYTES = 16 * 1024;
    private static final int MAX_OPEN_FILES = 2048;
    private static final long VALID_MILLIS = 1000;

    private final HttpContent.Factory wrapped;
    private final Map<Obstacle, LongAdder> obstacles = new EnumMap<>(Obstacle.class);
    private final LongAdder transferred = new LongAdder();
    private final OpenFileCache openFiles = new OpenFileCache(MAX_OPEN_FILES, VALID_MILLIS);
    private volatile int minTransferBytes = MIN_TRANSFER_BYTES;

    /** @param wrapped finds the content, and sends what does not go by the kernel */
    public SendfileContentFactory(HttpContent.Factory wrapped) {
        this.wrapped = wrapped;
        for (Obstacle obstacle : Obstacle.values()) {
            obstacles.put(obstacle, new LongAdder());
        }
    }

    @Override
    public HttpContent getContent(String path) throws IOException {
        HttpContent content = wrapped.getContent(path);
        if (content == null || content.getResource().isDirectory()) {
            return content;
        }
        Path file = content.getResource().getPath();
        if (file == null || file.getFileSystem() != FileSystems.getDefault()) {
            onCopied(Obstacle.NOT_A_FILE);
            return content;
        }
        return new SendfileContent(this, content, file);
    }

    /** @return the size in bytes from which on content goes by the kernel */
    @ManagedAttribute("Size in bytes from which on content goes by the kernel")
    public int getMinTransferBytes() {
        return minTransferBytes;
    }

    /** @param minTransferBytes the size in bytes from which on content goes by the kernel */
    public void setMinTransferBytes(int minTransferBytes) {
        this.minTransferBytes = minTransferBytes;
    }

    @ManagedAttribute("Responses whose content went by the kernel")
    public long getTransfers() {
        return transferred.sum();
    }

    @ManagedAttribute("Open files in the cache")
    public long getOpenFiles() {
        return openFiles.size();
    }

    /** @return how often which obstacle made a response's content go by a copy */
    @ManagedAttribute("How often which obstacle made content go by a copy")
    public Map<String, Long> getObstacles() {
        Map<String, Long> counts = new java.util.TreeMap<>();
        obstacles.forEach((obstacle, count) -> counts.put(obstacle.name(), count.sum()));
        return counts;
    }

    void onTransferred() {
        transferred.increment();
    }

    void onCopied(Obstacle obstacle) {
        obstacles.get(obstacle).increment();
    }

    OpenFileCache openFiles() {
        return openFiles;
    }

    @Override
    protected void doStop() {
        openFiles.clear();
    }
}
