package dev.millrace.testing;

import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * A class loader that has a text of Jetty's classes replaced by another of the same length: a class, a method or a constant gets another
 * name, with all that use it in Jetty. As the system's class loader it makes a JVM run a Jetty that Millrace does not know.
 */
public final class AlteredJetty extends URLClassLoader {
    private static final String KNOWN = "altered.jetty.known";
    private static final String OTHER = "altered.jetty.other";

    private final String known = System.getProperty(KNOWN);
    private final String other = System.getProperty(OTHER);

    /** @param parent would load all of the class path itself */
    public AlteredJetty(ClassLoader parent) {
        super(classPath(), ClassLoader.getPlatformClassLoader());
    }

    /** @return options for a JVM */
    public static List<String> options(String known, String other) {
        if (known.length() != other.length()) {
            throw new IllegalArgumentException(known + " is not as long as " + other);
        }
        return List.of(
                // The JVM warns that it cannot share classes, on standard output since JDK 25.
                "-Xlog:disable",
                "-Djava.system.class.loader=" + AlteredJetty.class.getName(),
                "-D" + KNOWN + "=" + known,
                "-D" + OTHER + "=" + other);
    }

    private static URL[] classPath() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(AlteredJetty::url)
                .toArray(URL[]::new);
    }

    private static URL url(String path) {
        try {
            return Path.of(path).toUri().toURL();
        } catch (MalformedURLException x) {
            throw new IllegalArgumentException(path, x);
        }
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        if (!name.startsWith("org.eclipse.jetty.")) {
            return super.findClass(name);
        }
        try (InputStream classFile = getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (classFile == null) {
                throw new ClassNotFoundException(name);
            }
            byte[] altered = classFile.readAllBytes();
            return defineClass(name, altered, 0, altered.length);
        } catch (IOException x) {
            throw new ClassNotFoundException(name, x);
        }
    }

    /** The file of a class is altered as the class is: Millrace reads one. */
    @Override
    public InputStream getResourceAsStream(String name) {
        if (!name.startsWith("org/eclipse/jetty/") || !name.endsWith(".class")) {
            return super.getResourceAsStream(name);
        }
        try (InputStream classFile = super.getResourceAsStream(name.replace(other, known))) {
            // Jetty has nothing of the known name any more.
            if (classFile == null || name.contains(known)) {
                return null;
            }
            String bytes = new String(classFile.readAllBytes(), StandardCharsets.ISO_8859_1);
            return new ByteArrayInputStream(bytes.replace(known, other).getBytes(StandardCharsets.ISO_8859_1));
        } catch (IOException x) {
            throw new UncheckedIOException(name, x);
        }
    }
}
