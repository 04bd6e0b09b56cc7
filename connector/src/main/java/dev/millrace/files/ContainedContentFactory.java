package dev.millrace.files;

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
            return path == null || contains(path, path.toRealPath());
        } catch (IOException gone) {
            LOG.debug("No real path for {}", path, gone);
            return false;
        }
    }

    /** Whether a file is below a base by its real path. */
    boolean contains(Path path, Path real) throws IOException {
        for (Resource base : getBaseResource()) {
            if (base.getPath() != null && real.startsWith(base.getPath().toRealPath())) {
                return true;
            }
        }
        LOG.warn("Not serving {}: it leads out of {}", path, getBaseResource());
        return false;
    }
}
