package dev.millrace.webapp;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The folder whose files may be served, and nothing outside it: a path counts only when its real path, links
 * followed, lies under the real path of the root.
 */
record FileRoot(Path path) {

    /**
     * @param folder the root
     * @throws IOException when it does not exist
     */
    static FileRoot of(Path folder) throws IOException {
        return new FileRoot(folder.toRealPath());
    }

    /**
     * Finds a file.
     *
     * @param name decoded path relative to the root, with {@code /} between its parts
     * @return its real path, or nothing when there is no such regular readable file under the root
     */
    Optional<Path> find(String name) {
        String relative = name.startsWith("/") ? name.substring(1) : name;
        try {
            Path wanted = path.resolve(relative);
            Path real = wanted.toRealPath();
            // A name that is not its own canonical spelling ("a/../b", a trailing slash) is refused, not repaired.
            boolean canonical = path.relativize(wanted).toString().replace('\\', '/').equals(relative)
                && wanted.equals(wanted.normalize());
            return canonical && real.startsWith(path) && Files.isRegularFile(real, LinkOption.NOFOLLOW_LINKS)
                && Files.isReadable(real) ? Optional.of(real) : Optional.empty();
        } catch (InvalidPathException | IOException ignored) {
            // No such file, or a name that cannot be one: the same answer for the caller.
            return Optional.empty();
        }
    }
}
