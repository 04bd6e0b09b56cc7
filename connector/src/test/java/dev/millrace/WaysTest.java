package dev.millrace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.files.SendfileHandler;
import dev.millrace.limits.ConnectionSweeper;
import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * How many classes of the library a reader meets who follows a request, or a file: those of which a method is entered, nested ones
 * with the one around them. Each bound is what has been reached, and a few classes that come in when a thread is late (decision 60). The page of the architecture names them all.
 */
@Timeout(60)
class WaysTest {
    private static final int REQUESTS = 20;
    private static final int FILE_BYTES = 1 << 20;

    @TempDir
    Path directory;

    /** Told by each method of the library that it is entered. */
    public static final class Entered {
        private static final Set<String> TYPES = Collections.synchronizedSet(new LinkedHashSet<>());
        private static volatile boolean listening;

        private Entered() {}

        public static void enter(String type) {
            if (listening) {
                TYPES.add(type);
            }
        }

        public static void begin() {
            TYPES.clear();
            listening = true;
        }

        public static Set<String> end() {
            listening = false;
            return new LinkedHashSet<>(TYPES);
        }
    }

    /** Loads the library and its tests once more; the library's methods tell {@link Entered}. */
    private static final class TellingLoader extends URLClassLoader {
        private static final URL MAIN = codeOf(SendfileHandler.class);

        private TellingLoader() {
            super(new URL[] {MAIN, codeOf(WaysTest.class)}, WaysTest.class.getClassLoader());
        }

        private static URL codeOf(Class<?> type) {
            return type.getProtectionDomain().getCodeSource().getLocation();
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith("dev.millrace.") || name.equals(Entered.class.getName())) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> known = findLoadedClass(name);
                return known == null ? findClass(name) : known;
            }
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            URL file = findResource(name.replace('.', '/') + ".class");
            if (file == null || !file.toString().startsWith(MAIN.toString())) {
                return super.findClass(name);
            }
            try (InputStream in = file.openStream()) {
                ClassReader reader = new ClassReader(in);
                ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
                reader.accept(telling(name, writer), 0);
                byte[] bytes = writer.toByteArray();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException x) {
                throw new ClassNotFoundException(name, x);
            }
        }

        private static ClassVisitor telling(String name, ClassVisitor writer) {
            String type = name.replaceFirst("\\$.*", "").replaceFirst("^dev\\.millrace\\.", "");
            return new ClassVisitor(Opcodes.ASM9, writer) {
                @Override
                public MethodVisitor visitMethod(
                        int access, String method, String descriptor, String signature, String[] exceptions) {
                    MethodVisitor next = super.visitMethod(access, method, descriptor, signature, exceptions);
                    return method.equals("<clinit>") ? next : telling(type, next);
                }
            };
        }

        private static MethodVisitor telling(String type, MethodVisitor writer) {
            return new MethodVisitor(Opcodes.ASM9, writer) {
                @Override
                public void visitCode() {
                    super.visitCode();
                    visitLdcInsn(type);
                    visitMethodInsn(
                            Opcodes.INVOKESTATIC,
                            Entered.class.getName().replace('.', '/'),
                            "enter",
                            "(Ljava/lang/String;)V",
                            false);
                }
            };
        }
    }

    /** Ends when the application is told that all is sent. */
    private static Callback ending(Callback callback, List<Set<String>> ways) {
        return new Callback.Nested(callback) {
            @Override
            public void succeeded() {
                ways.add(Entered.end());
                super.succeeded();
            }
        };
    }

    /** Without the looks that a connector takes each second. */
    private static ServerConnector unwatched(String connector, Server server) {
        ServerConnector made = Connectors.valueOf(connector).http(server);
        made.getBean(ConnectionSweeper.class).setPeriodMillis(TimeUnit.HOURS.toMillis(1));
        return made;
    }

    /** From the accepted connection until 13 bytes are answered; by {@link TellingLoader}. */
    public static final class Requests implements BiFunction<String, Path, List<Set<String>>> {
        private final List<Set<String>> ways = new ArrayList<>();

        @Override
        public List<Set<String>> apply(String connector, Path unused) {
            Handler hello = Handlers.of((request, response, callback) ->
                    Content.Sink.write(response, true, "Hello, world!", ending(callback, ways)));
            try (TestServer server = new TestServer(s -> unwatched(connector, s)).start(hello)) {
                List<RawClient> clients = new ArrayList<>();
                for (int i = 0; i < REQUESTS; i++) {
                    Entered.begin();
                    clients.add(server.client().get("/"));
                    clients.get(i).answer();
                    Await.until(
                            "the next request is awaited",
                            () -> server.connector().getConnectedEndPoints().stream()
                                    .allMatch(EndPoint::isFillInterested));
                }
                for (RawClient client : clients) {
                    client.close();
                }
            } catch (Exception x) {
                throw new IllegalStateException(x);
            }
            return ways;
        }
    }

    /** From the handler until a file is sent; by {@link TellingLoader}. */
    public static final class Files implements BiFunction<String, Path, List<Set<String>>> {
        private final List<Set<String>> ways = new ArrayList<>();

        @Override
        public List<Set<String>> apply(String connector, Path directory) {
            SendfileHandler files = Handlers.files(directory);
            // All but the first go as those within a second of a look at the file.
            files.getSettings().setValidMillis(TimeUnit.HOURS.toMillis(1));
            Handler begun = Handlers.around(files, (request, response, callback) -> {
                Entered.begin();
                return files.handle(request, response, ending(callback, ways));
            });
            try (TestServer server = new TestServer(s -> unwatched(connector, s)).start(begun);
                    RawClient client = server.client()) {
                for (int i = 0; i < REQUESTS; i++) {
                    client.get("/file").answer();
                }
            } catch (Exception x) {
                throw new IllegalStateException(x);
            }
            return ways;
        }
    }

    /** Those of three requests in four: a full socket, or a thread that is late, makes a few go another way. */
    private static List<String> usual(List<Set<String>> ways) {
        Map<String, Integer> counts = new LinkedHashMap<>();
        ways.forEach(way -> way.forEach(type -> counts.merge(type, 1, Integer::sum)));
        return counts.keySet().stream()
                .filter(type -> counts.get(type) * 4 >= REQUESTS * 3)
                .toList();
    }

    // Which threads come in depends on when the peer reads: some classes more than on a quiet machine.
    @ParameterizedTest
    @CsvSource({"NIO, Files, 25", "BIO_PLATFORM, Files, 28", "NIO, Requests, 13", "BIO_PLATFORM, Requests, 17"})
    void meetFewClasses(String connector, String walk, int most) throws Exception {
        TestFiles.write(directory, "file", FILE_BYTES);
        List<String> met;
        try (TellingLoader loader = new TellingLoader()) {
            @SuppressWarnings("unchecked")
            var walked = (BiFunction<String, Path, List<Set<String>>>)
                    loader.loadClass(WaysTest.class.getName() + "$" + walk)
                            .getConstructor()
                            .newInstance();
            met = usual(walked.apply(connector, directory));
        }
        System.out.println(walk + " on " + connector + ": " + met.size() + " classes, at most " + most + ": " + met);
        assertTrue(!met.isEmpty() && met.size() <= most, met::toString);
        assertEquals(List.of(), unnamed(met), "not in the walks of docs/architecture.md");
    }

    /** Those that {@code docs/architecture.md} does not name before its tables of all classes. */
    private static List<String> unnamed(List<String> types) throws IOException {
        String page = java.nio.file.Files.readString(Path.of("..", "docs", "architecture.md"));
        Set<String> words = new HashSet<>(List.of(page.substring(page.indexOf("## A request"), page.indexOf("## Rules"))
                .split("\\W+")));
        return types.stream()
                .filter(type -> !words.contains(type.substring(type.lastIndexOf('.') + 1)))
                .toList();
    }
}
