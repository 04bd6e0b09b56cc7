package dev.millrace.xsendfile;

import dev.millrace.transfer.WarningLimit;
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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directories from which applications may have files sent: nothing else, by whichever name or link. Those of one
 * application come before those of all. Thread-safe.
 */
final class DelegatedRoots {
    private static final Logger LOG = LoggerFactory.getLogger(DelegatedRoots.class);

    private final @Nullable DelegatedRoots common;
    private final WarningLimit warnings;

    private final List<Path> roots = new CopyOnWriteArrayList<>();
    /** Longest first. */
    private final Map<String, Path> mappings = new ConcurrentSkipListMap<>(
            Comparator.comparingInt(String::length).reversed().thenComparing(Comparator.naturalOrder()));

    /** @param common which one application has too; null: these are of all applications */
    DelegatedRoots(@Nullable DelegatedRoots common) {
        this.common = common;
        warnings = common == null ? new WarningLimit() : common.warnings;
    }

    /** @return for all that is not sent, whichever application has named it */
    WarningLimit warnings() {
        return warnings;
    }

    void addRoot(Path directory) {
        roots.add(absolute(directory));
    }

    void addMapping(String uriPrefix, Path directory) {
        if (!uriPrefix.startsWith("/") || !uriPrefix.endsWith("/")) {
            throw new IllegalArgumentException("URI prefix must begin and end with a slash: " + uriPrefix);
        }
        mappings.put(uriPrefix, absolute(directory));
    }

    // The empty path would be the directory that the server was started in: more than anybody has meant.
    private static Path absolute(Path directory) {
        if (directory.toString().isEmpty()) {
            throw new IllegalArgumentException("no directory is given");
        }
        return directory.toAbsolutePath().normalize();
    }

    boolean isEmpty() {
        return roots.isEmpty() && mappings.isEmpty();
    }

    /** Warns of directories that are none, or not yet. */
    void warnOfMissing() {
        Stream.concat(roots.stream(), mappings.values().stream())
                .distinct()
                .filter(directory -> !Files.isDirectory(directory))
                .forEach(missing ->
                        LOG.warn("No directory {}: every file that is named below it is answered 404", missing));
    }

    /** Whether a file, which need not exist, is below a root for {@code X-Sendfile}. */
    boolean allows(Path file) {
        Path normal = file.normalize();
        return file.isAbsolute() && roots().anyMatch(normal::startsWith);
    }

    private Stream<Path> roots() {
        return common == null ? roots.stream() : Stream.concat(roots.stream(), common.roots.stream());
    }

    /** @return the file, or null when the path leads nowhere allowed */
    @Nullable RootedFile byPath(String path) {
        try {
            Path file = Path.of(path);
            if (allows(file)) {
                return rooted(file.normalize());
            }
        } catch (InvalidPathException x) {
            return invalid(path, x);
        }
        return outside(path);
    }

    private @Nullable RootedFile invalid(String named, InvalidPathException cause) {
        if (warnings.allows()) {
            LOG.warn(
                    "Not sending {}: {} (names of files are in {} here, by LANG or LC_ALL)",
                    RootedFile.printable(named),
                    cause.getReason(),
                    System.getProperty("sun.jnu.encoding"));
        }
        return null;
    }

    private @Nullable RootedFile outside(String named) {
        if (warnings.allows()) {
            LOG.warn("Not sending {}: outside of {}", RootedFile.printable(named), this);
        }
        return null;
    }

    /** @return the file, or null when the URI leads nowhere allowed */
    @Nullable RootedFile byUri(String uri) {
        try {
            int query = uri.indexOf('?');
            // Jetty would take what follows a semicolon for a parameter: of an address, not of the name of a file.
            String path = URIUtil.decodePath((query < 0 ? uri : uri.substring(0, query)).replace(";", "%3B"));
            Map.Entry<String, Path> mapping = path == null ? null : mapping(path);
            if (mapping != null) {
                Path file = mapping.getValue()
                        .resolve(path.substring(mapping.getKey().length()))
                        .normalize();
                if (file.startsWith(mapping.getValue())) {
                    return rooted(file);
                }
            }
        } catch (InvalidPathException x) {
            return invalid(uri, x);
        } catch (IllegalArgumentException x) {
            if (warnings.allows()) {
                LOG.warn(
                        "Not sending a file with an invalid URI: {}",
                        RootedFile.printable(String.valueOf(x.getMessage())));
            }
            return null;
        }
        return outside(uri);
    }

    /** The longest prefix; of two that are the same the application's own. */
    private Map.@Nullable Entry<String, Path> mapping(String path) {
        Map.Entry<String, Path> own = mappings.entrySet().stream()
                .filter(mapping -> path.startsWith(mapping.getKey()))
                .findFirst()
                .orElse(null);
        Map.Entry<String, Path> other = common == null ? null : common.mapping(path);
        return own == null
                        || (other != null
                                && other.getKey().length() > own.getKey().length())
                ? other
                : own;
    }

    // Judged by the innermost directory that it is below: a link may not lead out of that, though into another root.
    private RootedFile rooted(Path file) {
        return new RootedFile(
                Stream.concat(
                                roots(),
                                Stream.concat(
                                        mappings.values().stream(),
                                        common == null ? Stream.empty() : common.mappings.values().stream()))
                        .filter(file::startsWith)
                        .max(Comparator.comparingInt(Path::getNameCount))
                        .orElseThrow(),
                file);
    }

    /** @return the real path of a file; null when that is not below its root */
    @Nullable Path realPath(RootedFile file) throws IOException {
        // Resolved from where the root leads. A root that is a link may be switched between two looks: then the file
        // would seem to be outside.
        Path root = file.root().toRealPath();
        Path real = root.resolve(file.root().relativize(file.file())).toRealPath();
        if (real.startsWith(root)) {
            return real;
        }
        if (warnings.allows()) {
            LOG.warn("Not sending {}: it leads out of {}, to {}", file, file.root(), real);
        }
        return null;
    }

    @Override
    public String toString() {
        return "DelegatedRoots[" + roots + "," + mappings + (common == null ? "" : "," + common) + "]";
    }
}
