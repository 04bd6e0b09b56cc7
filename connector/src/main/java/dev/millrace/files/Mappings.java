package dev.millrace.files;

import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;

/**
 * Read-only mappings that can be given back at once, instead of when the garbage collector gets to it: a mapping keeps
 * the disk space of a deleted file, and on Windows its lock.
 *
 * <p>From JDK 22 on by {@code java.lang.foreign.Arena}, before that by {@code sun.misc.Unsafe}, which is the only way
 * there and warns from JDK 24 on. Both are found at run time, so that one jar serves all.
 */
final class Mappings {
    private static final boolean ENDS_BY_HANDSHAKE = Runtime.version().feature() >= 22;
    private static final Mapper MAPPER = mapper();

    private Mappings() {
    }

    /** A mapping and the way to end it. */
    record Mapping(ByteBuffer buffer, AutoCloseable unmap) {
        /** Ends the mapping: nobody may touch the buffer, or a slice of it, from now on. */
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
     * @param file the open file
     * @param position where the part begins, in bytes
     * @param bytes its length
     * @return the mapping, owned by the caller
     * @throws IOException when the system refuses
     */
    static Mapping map(FileChannel file, long position, int bytes) throws IOException {
        try {
            return MAPPER.map(file, position, bytes);
        } catch (IOException | RuntimeException | Error x) {
            throw x;
        } catch (Throwable x) {
            throw new IOException("cannot map " + bytes + " bytes at " + position, x);
        }
    }

    /**
     * As {@link #map}, but to end the mapping costs nothing from JDK 22 on, where the garbage collector does it.
     *
     * @param file the open file
     * @param position where the part begins, in bytes
     * @param bytes its length
     * @return the mapping, owned by the caller
     * @throws IOException when the system refuses
     */
    static Mapping mapUntilCollected(FileChannel file, long position, int bytes) throws IOException {
        return ENDS_BY_HANDSHAKE ? new Mapping(file.map(MapMode.READ_ONLY, position, bytes), () -> { })
                : map(file, position, bytes);
    }

    private static Mapper mapper() {
        try {
            return ENDS_BY_HANDSHAKE ? arenas() : cleaners();
        } catch (ReflectiveOperationException x) {
            throw new ExceptionInInitializerError(x);
        }
    }

    private static Mapper arenas() throws ReflectiveOperationException {
        Class<?> arena = Class.forName("java.lang.foreign.Arena");
        Class<?> segment = Class.forName("java.lang.foreign.MemorySegment");
        MethodHandles.Lookup lookup = MethodHandles.publicLookup();
        MethodHandle open = lookup.findStatic(arena, "ofShared", MethodType.methodType(arena));
        MethodHandle map = lookup.findVirtual(FileChannel.class, "map",
                MethodType.methodType(segment, MapMode.class, long.class, long.class, arena));
        MethodHandle asByteBuffer = lookup.findVirtual(segment, "asByteBuffer",
                MethodType.methodType(ByteBuffer.class));
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
