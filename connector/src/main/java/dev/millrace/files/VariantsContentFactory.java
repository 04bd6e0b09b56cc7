package dev.millrace.files;

import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.eclipse.jetty.http.CompressedContentFormat;
import org.eclipse.jetty.http.content.HttpContent;
import org.eclipse.jetty.http.content.PreCompressedHttpContentFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks for pre-compressed variants as Jetty does, for each request, whatever it accepts. One that cannot be opened is none:
 * the file itself can be sent without it. Nor is a directory, to which Jetty would redirect, and from there back.
 */
final class VariantsContentFactory extends PreCompressedHttpContentFactory {
    private static final Logger LOG = LoggerFactory.getLogger(VariantsContentFactory.class);

    private final SendfileContentFactory found;
    private final List<CompressedContentFormat> formats;

    VariantsContentFactory(SendfileContentFactory found, List<CompressedContentFormat> formats) {
        super(found, formats);
        this.found = found;
        this.formats = formats;
    }

    @Override
    public @Nullable HttpContent getContent(String path) throws IOException {
        HttpContent content = found.getContent(path);
        if (content == null) {
            return null;
        }
        // What has the name of a directory besides is another file.
        Set<CompressedContentFormat> variants =
                formats.isEmpty() || content.getResource().isDirectory() ? Set.of() : variants(path);
        return new HttpContent.Wrapper(content) {
            @Override
            public Set<CompressedContentFormat> getPreCompressedContentFormats() {
                return variants;
            }
        };
    }

    private Set<CompressedContentFormat> variants(String path) {
        Set<CompressedContentFormat> variants = new HashSet<>();
        for (CompressedContentFormat format : formats) {
            if (isFound(path + format.getExtension())) {
                variants.add(format);
            }
        }
        return variants;
    }

    private boolean isFound(String variant) {
        try {
            HttpContent content = found.getVariant(variant);
            return content != null && !content.getResource().isDirectory();
        } catch (IOException x) {
            LOG.debug("Cannot open {}", variant, x);
            return false;
        }
    }
}
