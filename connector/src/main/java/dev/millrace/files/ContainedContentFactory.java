package dev.millrace.files;

import dev.millrace.transfer.WarningLimit;
import java.io.IOException;
import java.nio.file.Path;
import org.eclipse.jetty.http.MimeTypes;
import org.eclipse.jetty.http.content.ResourceHttpContentFactory;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.util.resource.Resource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds nothing whose real path is not below the base's, or below that of one of several bases. In a context an alias
 * check does that.
 */
final class ContainedContentFactory extends ResourceHttpContentFactory {
    private static final Logger LOG = LoggerFactory.getLogger(ContainedContentFactory.class);

    private final WarningLimit warnings = new WarningLimit();

    ContainedContentFactory(Resource base, MimeTypes mimeTypes, ByteBufferPool.Sized bufferPool) {
        super(base, mimeTypes, bufferPool);
    }

    @Override
    protected @Nullable Resource resolve(String pathInContext) {
        Resource resource = super.resolve(pathInContext);
        if (resource != null) {
            // A directory may stand for one of each base.
            for (Resource one : resource) {
                if (one.exists() && one.isAlias() && !isContained(one.getPath())) {
                    return null;
                }
            }
        }
        return resource;
    }

    private boolean isContained(@Nullable Path path) {
        try {
            // An entry of a jar has no links.
            return path == null || realPath(path) != null;
        } catch (IOException gone) {
            LOG.debug("No real path for {}", path, gone);
            return false;
        }
    }

    /** @return the real path of a file; null when it is not below a base */
    @Nullable Path realPath(Path path) throws IOException {
        for (Resource base : getBaseResource()) {
            Path root = base.getPath();
            // Paths in two jars compare by their names alone: what is in one would seem to be in the other.
            Path real = root == null || root.getFileSystem() != path.getFileSystem() ? null : realPathBelow(root, path);
            if (real != null) {
                return real;
            }
        }
        if (warnings.allows()) {
            LOG.warn("Not serving {}: it leads out of {}", path, getBaseResource());
        }
        return null;
    }

    // Resolved from where the base leads. A base that is a link may be switched between two looks: then the file would
    // seem to be outside.
    private static @Nullable Path realPathBelow(Path base, Path path) throws IOException {
        Path root = base.toRealPath();
        Path real = (path.startsWith(base) ? root.resolve(base.relativize(path)) : path).toRealPath();
        return real.startsWith(root) ? real : null;
    }
}
