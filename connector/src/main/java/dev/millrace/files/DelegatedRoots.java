package dev.millrace.files;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.eclipse.jetty.util.URIUtil;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directories from which applications may have files sent: nothing else, by whichever name or link. Thread-safe.
 */
final class DelegatedRoots {
    private static final Logger LOG = LoggerFactory.getLogger(DelegatedRoots.class);

    private final List<Path> roots = new CopyOnWriteArrayList<>();
    /** Longest first. */
    private final Map<String, Path> mappings = new ConcurrentSkipListMap<>(
            Comparator.comparingInt(String::length).reversed().thenComparing(Comparator.naturalOrder()));

    void addRoot(Path directory) {
        roots.add(directory.toAbsolutePath().normalize());
    }

    void addMapping(String uriPrefix, Path directory) {
        if (!uriPrefix.startsWith("/") || !uriPrefix.endsWith("/")) {
            throw new IllegalArgumentException("URI prefix must begin and end with a slash: " + uriPrefix);
        }
        mappings.put(uriPrefix, directory.toAbsolutePath().normalize());
    }

    boolean isEmpty() {
        return roots.isEmpty() && mappings.isEmpty();
    }

    /** Warns of directories that are none, or not yet. */
    void warnOfMissing() {
        Stream.concat(roots.stream(), mappings.values().stream()).distinct()
                .filter(directory -> !Files.isDirectory(directory))
                .forEach(missing -> LOG.warn("No directory {}: every file that is named below it is answered 404", missing));
    }

    /** Whether a file, which need not exist, is below a root for {@code X-Sendfile}. */
    boolean allows(Path file) {
        Path normal = file.normalize();
        return file.isAbsolute() && roots.stream().anyMatch(normal::startsWith);
    }

    /** @return the file, which need not exist, or null when the path leads nowhere allowed */
    Path byPath(String path) {
        try {
            Path file = Path.of(path);
            if (file.isAbsolute()) {
                Path normal = file.normalize();
                for (Path root : roots) {
                    if (normal.startsWith(root)) {
                        return normal;
                    }
                }
            }
        } catch (InvalidPathException x) {
            LOG.warn("Not sending a file with an invalid path: {}", x.getReason());
            return null;
        }
        LOG.warn("Not sending {}: outside of {}", path, roots);
        return null;
    }

    /** @return the file, which need not exist, or null when the URI leads nowhere allowed */
    Path byUri(String uri) {
        try {
            int query = uri.indexOf('?');
            // Jetty would take what follows a semicolon for a parameter: of an address, not of the name of a file.
            String path = URIUtil.decodePath((query < 0 ? uri : uri.substring(0, query)).replace(";", "%3B"));
            for (Map.Entry<String, Path> mapping : mappings.entrySet()) {
                if (path != null && path.startsWith(mapping.getKey())) {
                    Path root = mapping.getValue();
                    Path file = root.resolve(path.substring(mapping.getKey().length())).normalize();
                    if (file.startsWith(root)) {
                        return file;
                    }
                    break;
                }
            }
        } catch (IllegalArgumentException x) {
            // Of which InvalidPathException is one.
            LOG.warn("Not sending a file with an invalid URI: {}", x.getMessage());
            return null;
        }
        LOG.warn("Not sending {}: outside of {}", uri, mappings);
        return null;
    }

    /** Whether a file is below a root by its real path. */
    boolean contains(Path file, Path real) throws IOException {
        for (Path root : roots) {
            if (isBelow(real, file, root)) {
                return true;
            }
        }
        for (Path root : mappings.values()) {
            if (isBelow(real, file, root)) {
                return true;
            }
        }
        LOG.warn("Not sending {}: it leads out of its root, to {}", file, real);
        return false;
    }

    // By the root that it was found under: a link from one root into another leads out of the first.
    private static boolean isBelow(Path real, Path file, Path root) throws IOException {
        return file.startsWith(root) && real.startsWith(root.toRealPath());
    }

    @Override
    public String toString() {
        return "DelegatedRoots[" + roots + "," + mappings + "]";
    }
}
