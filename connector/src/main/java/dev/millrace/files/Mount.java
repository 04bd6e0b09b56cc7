package dev.millrace.files;

import dev.millrace.files.cache.OpenFileCache;
import dev.millrace.transfer.FlightRecorder;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.eclipse.jetty.http.content.HttpContent;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Response;
import org.jspecify.annotations.Nullable;

/**
 * What all contents of one {@link HttpContent.Factory} share. Counts the answers whose file went by the kernel, and the others by
 * what was in the way. Tells clients in a response field, if the settings say so. Thread-safe.
 */
final class Mount {
    private final SendfileSettings settings;
    private final OpenFileCache<?> openFiles;
    private final HttpContent.Factory lookUp;
    private final Map<Obstacle, LongAdder> copies = new EnumMap<>(Obstacle.class);
    private final Map<Obstacle, LongAdder> copiedBytes = new EnumMap<>(Obstacle.class);
    private final LongAdder transfers = new LongAdder();

    /**
     * @param openFiles keep its files open
     * @param lookUp finds a content again when its file was replaced
     */
    Mount(SendfileSettings settings, OpenFileCache<?> openFiles, HttpContent.Factory lookUp) {
        this.settings = settings;
        this.openFiles = openFiles;
        this.lookUp = lookUp;
        FlightRecorder.warnIfAbsent();
        for (Obstacle obstacle : Obstacle.values()) {
            copies.put(obstacle, new LongAdder());
            copiedBytes.put(obstacle, new LongAdder());
        }
    }

    SendfileSettings settings() {
        return settings;
    }

    OpenFileCache<?> openFiles() {
        return openFiles;
    }

    HttpContent.Factory lookUp() {
        return lookUp;
    }

    /** An answer whose file did not go by the kernel, for the flight recorder. Off unless a recording asks for it. */
    @Name("dev.millrace.Copy")
    @Label("Copy")
    @Description("A part of a file that was not sent by the kernel, and why")
    @Category({"Millrace", "Transfer"})
    @Enabled(false)
    @StackTrace(false)
    static final class CopyEvent extends Event {
        @Label("File")
        @Nullable String file;

        @Label("Position")
        @Description("Where the part begins in the file")
        @DataAmount
        long position;

        @Label("Bytes")
        @DataAmount
        long bytes;

        @Label("Obstacle")
        @Nullable String obstacle;

        private static void commit(Object file, long position, long bytes, Obstacle obstacle) {
            CopyEvent event = new CopyEvent();
            if (event.shouldCommit()) {
                event.file = file.toString();
                event.position = position;
                event.bytes = bytes;
                event.obstacle = obstacle.name();
                event.commit();
            }
        }
    }

    /**
     * Counts one answer, or one that is part of another. A copy is an event for the flight recorder too.
     *
     * @param obstacle null: it goes by the kernel
     */
    void onAnswer(Content.Sink sink, @Nullable Obstacle obstacle, Object file, long position, long bytes) {
        onAnswer(sink, obstacle);
        if (obstacle != null) {
            recordCopy(obstacle, file, position, bytes);
        }
    }

    /**
     * Counts an answer whose parts are yet to come.
     *
     * @param obstacle null: what is large enough goes by the kernel
     */
    void onAnswer(Content.Sink sink, @Nullable Obstacle obstacle) {
        if (obstacle == null) {
            transfers.increment();
        } else {
            Objects.requireNonNull(copies.get(obstacle)).increment();
        }
        if (settings.isDebugHeader() && sink instanceof Response response && !response.isCommitted()) {
            response.getHeaders().put(SendfileSettings.DEBUG_HEADER, obstacle == null ? "yes" : obstacle.name());
        }
    }

    /** Tells the flight recorder of a part of a file that does not go by the kernel. */
    void recordCopy(Obstacle obstacle, Object file, long position, long bytes) {
        if (FlightRecorder.IS_PRESENT) {
            CopyEvent.commit(file, position, bytes, obstacle);
        }
    }

    /**
     * Counts content that does not go by the kernel, with each piece of it.
     *
     * @param bytes of the piece that is about to be written
     */
    void onCopied(Obstacle obstacle, long bytes) {
        Objects.requireNonNull(copiedBytes.get(obstacle)).add(bytes);
    }

    long transfers() {
        return transfers.sum();
    }

    Map<String, Long> copiesByObstacle() {
        return sums(copies);
    }

    Map<String, Long> copiedBytesByObstacle() {
        return sums(copiedBytes);
    }

    private static Map<String, Long> sums(Map<Obstacle, LongAdder> counts) {
        Map<String, Long> sums = new TreeMap<>();
        counts.forEach((obstacle, count) -> sums.put(obstacle.name(), count.sum()));
        return sums;
    }
}
