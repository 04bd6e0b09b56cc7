package dev.millrace.files.cache;

import dev.millrace.transfer.SystemLimits;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Read-only mappings that can be given back at once, instead of when the garbage collector gets to it. A mapping keeps
 * the disk space of a deleted file, and on Windows its lock.
 *
 * <p>From JDK 22 on by {@code java.lang.foreign.Arena}, before that by {@code sun.misc.Unsafe}, which is the only way
 * there and warns from JDK 24 on. Both are found at run time, so that one jar serves all. Where there is neither, in a
 * runtime without the module {@code jdk.unsupported}, nothing is mapped.
 *
 * <p>Files have at most half of the mappings that the system grants (proc(5), {@code max_map_count}). The JVM needs
 * some for the stacks of threads and for its heap, and may end without them. Thread-safe.
 */
class Mappings {
    private static final boolean ENDS_BY_HANDSHAKE = Runtime.version().feature() >= 22;
    private static final Logger LOG = LoggerFactory.getLogger(Mappings.class);
    private static final Mapper MAPPER = mapper();
    private static final AtomicBoolean WARNED = new AtomicBoolean();
    private static final Path LIMIT = Path.of("/proc/sys/vm/max_map_count");
    /** All that files of this process have: up to half of what the system grants. */
    static final Mappings OF_PROCESS = new Mappings(SystemLimits.read(LIMIT, Integer.MAX_VALUE) / 2);

    final int most;
    private final AtomicInteger count = new AtomicInteger();
    /** Of those that the garbage collector ends. A reference that nobody has is never told of. */
    private final Set<Reference<ByteBuffer>> uncollected = ConcurrentHashMap.newKeySet();

    private final ReferenceQueue<ByteBuffer> collected = new ReferenceQueue<>();

    /** @param most how many there may be; a few more where several threads map at once */
    Mappings(int most) {
        this.most = most;
    }

    /** A mapping and the way to end it. */
    record Mapping(ByteBuffer buffer, AutoCloseable unmap) {
        /** Ends the mapping: the buffer and its slices must not be touched from now on. */
        void close() {
            try {
                unmap.close();
            } catch (Exception x) {
                throw new IllegalStateException("cannot unmap", x);
            }
        }
    }

    private interface Mapper {
        Mapping map(FileChannel file, long position, int bytes) throws Throwable;
    }

    /**
     * Maps a part of a file; nothing is read.
     *
     * @return the mapping, owned by the caller
     * @throws IOException when the system refuses, or there are as many as there may be
     */
    Mapping map(FileChannel file, long position, int bytes) throws IOException {
        checkCount();
        Mapping mapping = newMapping(file, position, bytes);
        count.incrementAndGet();
        return new Mapping(mapping.buffer(), () -> {
            mapping.unmap().close();
            count.decrementAndGet();
        });
    }

    private void checkCount() throws IOException {
        for (Reference<?> gone = collected.poll(); gone != null; gone = collected.poll()) {
            uncollected.remove(gone);
        }
        if (count.get() + uncollected.size() >= most) {
            throw new IOException("files have " + most + " mappings already");
        }
    }

    private static Mapping newMapping(FileChannel file, long position, int bytes) throws IOException {
        try {
            return MAPPER.map(file, position, bytes);
        } catch (IOException | RuntimeException | Error x) {
            throw x;
        } catch (Throwable x) {
            throw new IOException("cannot map " + bytes + " bytes at " + position, x);
        }
    }

    /** As {@link #map}, but from JDK 22 on the garbage collector ends the mapping, which costs the caller nothing. */
    Mapping mapUntilCollected(FileChannel file, long position, int bytes) throws IOException {
        if (!ENDS_BY_HANDSHAKE) {
            return map(file, position, bytes);
        }
        checkCount();
        ByteBuffer buffer = file.map(MapMode.READ_ONLY, position, bytes);
        uncollected.add(new PhantomReference<>(buffer, collected));
        return new Mapping(buffer, () -> {});
    }

    /** Warns, once in the life of a process, when nothing can be mapped. Called at the start of what would map. */
    static void warnIfImpossible() {
        if (MAPPER instanceof Impossible impossible && WARNED.compareAndSet(false, true)) {
            LOG.warn(
                    "Files are copied, not sent by the kernel: {} ends no mapping, which needs the module jdk.unsupported ({})",
                    Runtime.version(),
                    impossible.cause.toString());
        }
    }

    private static Mapper mapper() {
        try {
            return ENDS_BY_HANDSHAKE ? arenas() : cleaners();
        } catch (ReflectiveOperationException x) {
            return new Impossible(x);
        }
    }

    /** Refuses, so that files are copied: one that was deleted would keep its disk space until there is garbage to collect. */
    private record Impossible(Exception cause) implements Mapper {
        @Override
        public Mapping map(FileChannel file, long position, int bytes) throws IOException {
            throw new IOException("no way to end a mapping", cause);
        }
    }

    private static Mapper arenas() throws ReflectiveOperationException {
        Class<?> arena = Class.forName("java.lang.foreign.Arena");
        Class<?> segment = Class.forName("java.lang.foreign.MemorySegment");
        MethodHandles.Lookup lookup = MethodHandles.publicLookup();
        MethodHandle open = lookup.findStatic(arena, "ofShared", MethodType.methodType(arena));
        MethodHandle map = lookup.findVirtual(
                FileChannel.class, "map", MethodType.methodType(segment, MapMode.class, long.class, long.class, arena));
        MethodHandle asByteBuffer =
                lookup.findVirtual(segment, "asByteBuffer", MethodType.methodType(ByteBuffer.class));
        return (file, position, bytes) -> {
            AutoCloseable scope = (AutoCloseable) open.invoke();
            try {
                Object mapped = map.invoke(file, MapMode.READ_ONLY, position, (long) bytes, scope);
                return new Mapping((ByteBuffer) asByteBuffer.invoke(mapped), scope);
            } catch (Throwable x) {
                scope.close();
                throw x;
            }
        };
    }

    private static Mapper cleaners() throws ReflectiveOperationException {
        Class<?> type = Class.forName("sun.misc.Unsafe");
        var field = type.getDeclaredField("theUnsafe");
        field.setAccessible(true);
        MethodHandle clean = MethodHandles.publicLookup()
                .findVirtual(type, "invokeCleaner", MethodType.methodType(void.class, ByteBuffer.class))
                .bindTo(field.get(null));
        return (file, position, bytes) -> {
            ByteBuffer buffer = file.map(MapMode.READ_ONLY, position, bytes);
            return new Mapping(buffer, () -> {
                try {
                    clean.invoke(buffer);
                } catch (Throwable x) {
                    throw new IllegalStateException(x);
                }
            });
        };
    }
}
