package dev.millrace.files;

import dev.millrace.files.cache.Finder;
import java.io.IOException;
import java.nio.file.Path;
import org.eclipse.jetty.http.content.HttpContent;
import org.eclipse.jetty.http.content.ResourceHttpContentFactory;
import org.eclipse.jetty.util.component.ContainerLifeCycle;
import org.eclipse.jetty.util.resource.CombinedResource;
import org.eclipse.jetty.util.resource.Resource;
import org.jspecify.annotations.Nullable;

/**
 * Finds a file again below a base resource that is made of several: another may lie in an earlier one by now. One below the first is not
 * looked for. Thread-safe.
 */
final class CombinedFinder implements Finder {
    private final Path first;
    private final HttpContent.Factory factory;

    private CombinedFinder(Path first, HttpContent.Factory factory) {
        this.first = first;
        this.factory = factory;
    }

    /**
     * @param base below which the factory finds files
     * @return null where that is one directory: there a path leads to no other file
     */
    static @Nullable Finder of(@Nullable Resource base, HttpContent.Factory factory) {
        Path first = base instanceof CombinedResource combined
                ? combined.getResources().get(0).getPath()
                : null;
        return first == null ? null : new CombinedFinder(first, factory);
    }

    /** As the other, with the base of the innermost factory; null also where that is none of Jetty's. */
    static @Nullable Finder of(HttpContent.Factory factory) {
        HttpContent.Factory innermost = factory;
        while (innermost instanceof ContainerLifeCycle outer) {
            innermost = outer.getBean(HttpContent.Factory.class);
        }
        return innermost instanceof ResourceHttpContentFactory files ? of(files.getBaseResource(), factory) : null;
    }

    @Override
    public @Nullable Path find(String path, Path before) throws IOException {
        HttpContent now = before.startsWith(first) ? null : factory.getContent(path);
        return now == null ? before : now.getResource().getPath();
    }
}
