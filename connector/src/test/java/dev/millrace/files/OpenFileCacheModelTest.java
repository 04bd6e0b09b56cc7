package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.files.cache.OpenFile;
import dev.millrace.testing.HeldJobs;
import dev.millrace.testing.Leaks;
import dev.millrace.testing.Plans;
import dev.millrace.testing.Steps;
import dev.millrace.testing.Steps.Step;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import org.eclipse.jetty.http.MimeTypes;
import org.eclipse.jetty.http.content.HttpContent;
import org.eclipse.jetty.http.content.ResourceHttpContentFactory;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.IO;
import org.eclipse.jetty.util.resource.ResourceFactory;
import org.junit.jupiter.api.condition.OS;

/**
 * Sequences of steps on a cache of open files that holds fewer than there are, with their mappings. A look-up finds what is at
 * the path. What is held shows the bytes of its version until it is given back. No descriptor and no mapping is left at the end.
 */
class OpenFileCacheModelTest {
    private static final int FILES = 4;
    private static final int[] SIZES = {1, 5_000, 70_000};

    enum Kind {
        LOOK_UP,
        /** Takes a count of a file that was found. */
        ACQUIRE,
        MAP,
        RELEASE,
        MOVE_OVER,
        DELETE,
        OVERWRITE,
        TRUNCATE,
        APPEND,
        EVICT,
        LIMIT,
        /** A thread that was interrupted has closed the channel. */
        INTERRUPT,
        /** The next timer: of a sweep, or of the grace of what was evicted. */
        TIME,
        /** The next job on the server's threads: a sweep, or the end of files. */
        WORK
    }

    @Provide
    Arbitrary<List<Step<Kind>>> sequences() {
        return Steps.sequences(
                120,
                Tuple.of(8, Kind.LOOK_UP),
                Tuple.of(8, Kind.ACQUIRE),
                Tuple.of(6, Kind.MAP),
                Tuple.of(6, Kind.RELEASE),
                Tuple.of(3, Kind.MOVE_OVER),
                Tuple.of(2, Kind.DELETE),
                Tuple.of(1, Kind.OVERWRITE),
                Tuple.of(1, Kind.TRUNCATE),
                Tuple.of(1, Kind.APPEND),
                Tuple.of(2, Kind.EVICT),
                Tuple.of(1, Kind.LIMIT),
                Tuple.of(1, Kind.INTERRUPT),
                Tuple.of(4, Kind.TIME),
                Tuple.of(4, Kind.WORK));
    }

    @Property
    void whatIsHeldIsOfOneVersionAndThenClosed(@ForAll("sequences") List<Step<Kind>> steps) throws Exception {
        run(steps);
    }

    @Example
    void anEmptyFileThatAnInterruptClosedIsOpenWhenItIsDeleted() throws Exception {
        run(Stream.of(Kind.TRUNCATE, Kind.LOOK_UP, Kind.ACQUIRE, Kind.INTERRUPT, Kind.DELETE, Kind.MAP)
                .map(kind -> new Step<>(kind, 0))
                .toList());
    }

    private static void run(List<Step<Kind>> steps) throws Exception {
        Path directory = Files.createTempDirectory("open-files");
        try (Model model = new Model(directory)) {
            for (Step<Kind> step : steps) {
                model.take(step);
                model.check();
            }
        } finally {
            IO.delete(directory);
        }
    }

    /** What was at a path until it was moved over, deleted, or written to. */
    private static final class Version {
        private final byte[] bytes;
        private boolean isWrittenTo;

        private Version(byte[] bytes) {
            this.bytes = bytes;
        }
    }

    private record Found(int number, Version version, SendfileContent content) {}

    /** A count of an open file, and what was mapped of it. */
    private static final class Held {
        private final Version version;
        private final OpenFile file;
        private final List<Token> tokens = new ArrayList<>();

        private Held(Version version, OpenFile file) {
            this.version = version;
            this.file = file;
        }

        private void map(int number) throws IOException {
            int position = number * version.bytes.length / 120;
            if (!version.isWrittenTo) {
                tokens.add(new Token(position, file.token(position, version.bytes.length - position)));
            }
        }

        // One that was truncated must not be touched: nor does anything that sends it.
        private void check(Set<OpenFile> lost) throws IOException {
            if (version.isWrittenTo) {
                return;
            }
            for (Token token : tokens) {
                byte[] mapped = new byte[token.buffer().remaining()];
                token.buffer().duplicate().get(mapped);
                assertEquals(ByteBuffer.wrap(version.bytes, token.position(), mapped.length), ByteBuffer.wrap(mapped));
            }
            if (!lost.contains(file)) {
                ByteBuffer read = ByteBuffer.allocate(version.bytes.length);
                file.read(read, 0);
                assertArrayEquals(version.bytes, read.array());
            }
        }
    }

    private record Token(int position, ByteBuffer buffer) {}

    /** The cache, and what it should find. */
    private static final class Model implements AutoCloseable {
        private final Path directory;
        private final Plans plans = new Plans();
        private final HeldJobs threads = new HeldJobs();
        private final SendfileContentFactory factory;
        private final Version[] versions = new Version[FILES];
        private final List<Found> found = new ArrayList<>();
        private final List<Held> held = new ArrayList<>();
        /** Closed by an interrupt when they were no longer at their path: there is no way to open them again. */
        private final Set<OpenFile> lost = Collections.newSetFromMap(new IdentityHashMap<>());

        private final Random random = new Random(0);
        private long seconds = 1_000_000_000;

        private Model(Path directory) throws Exception {
            this.directory = directory;
            factory = new SendfileContentFactory(new ResourceHttpContentFactory(
                    ResourceFactory.root().newResource(directory),
                    MimeTypes.DEFAULTS,
                    new ByteBufferPool.Sized(new ByteBufferPool.NonPooling())));
            factory.setServer(new Server(threads, plans, null));
            factory.getSettings().setValidMillis(0);
            factory.getSettings().setMaxCacheBytes(0);
            factory.getSettings().setMaxOpenFiles(2);
            factory.start();
            for (int i = 0; i < FILES; i++) {
                change(Kind.MOVE_OVER, i, SIZES[i % SIZES.length]);
            }
        }

        private Path path(int number) {
            return directory.resolve(number + ".bin");
        }

        private void take(Step<Kind> step) throws IOException {
            int number = step.number() % FILES;
            switch (step.kind()) {
                case LOOK_UP -> lookUp(number);
                case ACQUIRE -> {
                    if (!found.isEmpty()) {
                        acquire(found.get(step.number() % found.size()));
                    }
                }
                case MAP -> {
                    if (!held.isEmpty()) {
                        map(held.get(step.number() % held.size()), step.number());
                    }
                }
                case RELEASE -> {
                    if (!held.isEmpty()) {
                        held.remove(step.number() % held.size()).file.release();
                    }
                }
                case INTERRUPT -> {
                    if (!held.isEmpty()) {
                        interrupt(held.get(step.number() % held.size()));
                    }
                }
                case EVICT -> factory.openFiles().giveUp();
                case LIMIT -> factory.getSettings().setMaxOpenFiles(1 + number);
                case TIME -> {
                    if (!plans.tasks().isEmpty()) {
                        plans.tasks().remove(0).run();
                    }
                }
                case WORK -> {
                    if (!threads.jobs().isEmpty()) {
                        threads.jobs().remove().run();
                    }
                }
                default -> change(step.kind(), number, SIZES[step.number() % SIZES.length]);
            }
        }

        private void lookUp(int number) throws IOException {
            HttpContent content = factory.getContent("/" + number + ".bin");
            if (versions[number] == null) {
                assertNull(content);
            } else {
                assertNotNull(content);
                assertEquals(versions[number].bytes.length, content.getContentLengthValue());
                found.add(new Found(number, versions[number], (SendfileContent) content));
            }
        }

        private void acquire(Found one) {
            try {
                held.add(new Held(one.version(), ((FileResource) one.content().getResource()).acquire()));
            } catch (IOException gone) {
                // Closed since, and another is at the path by now; the same would have been opened again.
                if (versions[one.number()] == one.version()) {
                    throw new AssertionError(gone);
                }
            }
        }

        private void map(Held one, int number) throws IOException {
            if (!lost.contains(one.file)) {
                one.map(number);
            }
        }

        // One that is at its path is opened again for all that hold it.
        private void interrupt(Held one) throws IOException {
            if (!one.version.isWrittenTo && !lost.contains(one.file)) {
                one.file.channel().close();
                if (Arrays.asList(versions).contains(one.version)) {
                    // Before it leaves its path. The check would not open an empty one: it reads nothing.
                    assertTrue(one.file.channel().isOpen());
                } else {
                    lost.add(one.file);
                }
            }
        }

        private void change(Kind kind, int number, int size) throws IOException {
            Version before = versions[number];
            if (kind == Kind.MOVE_OVER) {
                byte[] bytes = bytes(size);
                Path next = Files.write(directory.resolve("next"), bytes);
                date(next);
                Files.move(next, path(number), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
                versions[number] = new Version(bytes);
            } else if (kind == Kind.DELETE) {
                Files.deleteIfExists(path(number));
                versions[number] = null;
            } else if (before != null) {
                byte[] bytes = switch (kind) {
                    case OVERWRITE -> bytes(before.bytes.length);
                    case TRUNCATE -> Arrays.copyOf(before.bytes, before.bytes.length / 2);
                    case APPEND -> Arrays.copyOf(before.bytes, before.bytes.length + 1);
                    default -> throw new IllegalArgumentException(kind.name());
                };
                Files.write(path(number), bytes, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING);
                date(path(number));
                before.isWrittenTo = true;
                versions[number] = new Version(bytes);
            }
        }

        private byte[] bytes(int size) {
            byte[] bytes = new byte[size];
            random.nextBytes(bytes);
            return bytes;
        }

        // Of what is written twice within a tick of the clock nobody could tell.
        private void date(Path file) throws IOException {
            Files.setLastModifiedTime(file, FileTime.fromMillis(1000 * seconds++));
        }

        private void check() throws IOException {
            for (Held one : held) {
                one.check(lost);
            }
        }

        @Override
        public void close() throws Exception {
            // Those that are held outlive the cache.
            factory.stop();
            check();
            for (Held one : held) {
                one.file.release();
            }
            while (!threads.jobs().isEmpty()) {
                threads.jobs().remove().run();
            }
            assertEquals(0, factory.openFiles().keptFiles());
            if (OS.LINUX.isCurrentOs()) {
                assertEquals(0, Leaks.descriptors(directory), "descriptors");
                assertEquals(0, Leaks.mappings(directory), "mappings");
            }
        }
    }
}
