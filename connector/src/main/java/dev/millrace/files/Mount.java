package dev.millrace.files;

import dev.millrace.files.cache.ContentCache;
import dev.millrace.files.cache.OpenFileCache;
import java.util.function.Supplier;
import org.eclipse.jetty.http.content.HttpContent;
import org.jspecify.annotations.Nullable;

/**
 * What all contents of one {@link HttpContent.Factory} share. Thread-safe.
 *
 * @param settings of the mount
 * @param statistics count its answers
 * @param openFiles keep its files open
 * @param contentCache has the bytes of some; null when there is none
 * @param lookUp finds a content again when its file was replaced
 */
record Mount(
        SendfileSettings settings,
        SendfileStatistics statistics,
        OpenFileCache<?> openFiles,
        Supplier<@Nullable ContentCache> contentCache,
        HttpContent.Factory lookUp) {}
