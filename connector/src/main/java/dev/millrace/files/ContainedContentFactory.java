package dev.millrace.files;

import java.io.IOException;
import java.nio.file.Path;
import org.eclipse.jetty.http.MimeTypes;
import org.eclipse.jetty.http.content.ResourceHttpContentFactory;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.util.resource.Resource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds nothing whose real path is not below the base's: what an alias check does in a context, where there is none.
 */
final class ContainedContentFactory extends ResourceHttpContentFactory {
    private static final Logger LOG = LoggerFactory.getLogger(ContainedContentFactory.class);

    ContainedContentFactory(Resource base, MimeTypes mimeTypes, ByteBufferPool.Sized bufferPool) {
        super(base, mimeTypes, bufferPool);
    }

    @Override
    protected Resource resolve(String pathInContext) {
        Resource resource = super.resolve(pathInContext);
        return resource == null || isContained(resource) ? resource : null;
    }

    private boolean isContained(Resource resource) {
        Path path = resource.getPath();
        Path base = getBaseResource().getPath();
        // An entry of a jar has no links; several bases are the administrator's own mixture.
        if (path == null || base == null || !resource.isAlias() || !resource.exists()) {
            return true;
        }
        try {
            if (path.toRealPath().startsWith(base.toRealPath())) {
                return true;
            }
        } catch (IOException gone) {
            LOG.debug("No real path for {}", path, gone);
            return false;
        }
        LOG.warn("Not serving {}: it leads out of {}", path, base);
        return false;
    }
}
