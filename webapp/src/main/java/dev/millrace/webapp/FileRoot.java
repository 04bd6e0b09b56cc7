package dev.millrace.webapp;

import jakarta.servlet.ServletContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The folder whose files may be served. A file is in it only if its real path, with links resolved, is below the real
 * path of the root. Immutable.
 */
record FileRoot(Path path) {
    static final String ATTRIBUTE = FileRoot.class.getName();

    /**
     * The root at a folder.
     *
     * @throws IOException when the folder does not exist
     */
    static FileRoot of(Path folder) throws IOException {
        return new FileRoot(folder.toRealPath());
    }

    /** The root of the application, a context attribute. */
    static FileRoot of(ServletContext context) {
        return (FileRoot) context.getAttribute(ATTRIBUTE);
    }

    /**
     * Finds a file.
     *
     * @param name decoded path relative to the root, with {@code /} between its segments
     * @return its real path; empty when there is no such readable regular file under the root
     */
    Optional<Path> find(String name) {
        String relative = name.startsWith("/") ? name.substring(1) : name;
        try {
            Path wanted = path.resolve(relative);
            Path real = wanted.toRealPath();
            // A name that is not canonical ("a/../b", a trailing slash) is rejected.
            boolean canonical =
                    path.relativize(wanted).toString().replace('\\', '/').equals(relative)
                            && wanted.equals(wanted.normalize());
            return canonical
                            && real.startsWith(path)
                            && Files.isRegularFile(real, LinkOption.NOFOLLOW_LINKS)
                            && Files.isReadable(real)
                    ? Optional.of(real)
                    : Optional.empty();
        } catch (InvalidPathException | IOException ignored) {
            // The file does not exist, or no file can have that name.
            return Optional.empty();
        }
    }
}
