import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * A server of files that is no more than a selector's loop. It shows how much of a file's cost lies in the way of its header and
 * its bytes to the socket, by the JDK's channels or by system calls of its own (java.lang.foreign). A peer of docs/bench/files.sh (SERVERS).
 *
 * <p>It trusts its client: a request is one read, for a path below the directory. One thread does all.
 */
public final class NativeFiles {
    private static final int MSG_NOSIGNAL = 0x4000;
    private static final int MSG_MORE = 0x8000;
    private static final int IPPROTO_TCP = 6;
    private static final int TCP_CORK = 3;
    private static final int EAGAIN = 11;
    /** What one call of sendfile sends at most: as the connectors, for a call that takes long keeps others waiting. */
    private static final int MOST_BYTES = 1024 * 1024;

    // Constants, for the compiler to see through them. Linux on 64 bits: size_t, ssize_t and off_t are long.
    private static final MethodHandle SEND = call(
            "send", ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT);
    private static final MethodHandle SENDFILE = call(
            "sendfile", ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG);
    private static final MethodHandle SETSOCKOPT = call(
            "setsockopt",
            ValueLayout.JAVA_INT,
            ValueLayout.JAVA_INT,
            ValueLayout.JAVA_INT,
            ValueLayout.JAVA_INT,
            ValueLayout.ADDRESS,
            ValueLayout.JAVA_INT);
    private static final VarHandle ERRNO = Linker.Option.captureStateLayout()
            .varHandle(MemoryLayout.PathElement.groupElement("errno"));
    private static final MemorySegment STATE = Arena.global().allocate(Linker.Option.captureStateLayout());
    private static final MemorySegment OFFSET = Arena.global().allocate(ValueLayout.JAVA_LONG);
    private static final MemorySegment ON = Arena.global().allocateFrom(ValueLayout.JAVA_INT, 1);
    private static final MemorySegment OFF = Arena.global().allocateFrom(ValueLayout.JAVA_INT, 0);

    /** How header and file get to the socket. */
    private enum Way {
        /** Both by the JDK: a write, then transferTo. */
        TRANSFER,
        /** The header by the JDK, then sendfile. */
        SENDFILE,
        /** The header by send with MSG_MORE, which has it wait for the file's first bytes, then the JDK's transferTo. */
        MORE_TRANSFER,
        /** The header by send with MSG_MORE, then sendfile. */
        MORE,
        /** Header and file between two calls that set TCP_CORK. */
        CORK,
        /** Both by one write of the JDK, from memory. */
        MEMORY
    }

    private record Served(FileChannel channel, int descriptor, long bytes, ByteBuffer header, ByteBuffer content) {}

    private static final class Peer {
        private final int descriptor;
        private Served served;
        private ByteBuffer header;
        private ByteBuffer content;
        private long sent;

        private Peer(int descriptor) {
            this.descriptor = descriptor;
        }
    }

    private final Path directory;
    private final Way way;
    private final Map<String, Served> files = new HashMap<>();
    private final ByteBuffer request = ByteBuffer.allocateDirect(8192);

    private NativeFiles(Path directory, Way way) {
        this.directory = directory;
        this.way = way;
    }

    public static void main(String[] args) throws Exception {
        new NativeFiles(Path.of(args[0]), Way.valueOf(args[1].replace('-', '_').toUpperCase())).serve();
    }

    private static MethodHandle call(String name, MemoryLayout result, MemoryLayout... parameters) {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(
                linker.defaultLookup().find(name).orElseThrow(),
                FunctionDescriptor.of(result, parameters),
                Linker.Option.captureCallState("errno"));
    }

    private void serve() throws Exception {
        try (Selector selector = Selector.open();
                ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(new InetSocketAddress("127.0.0.1", 0), 4096).configureBlocking(false);
            server.register(selector, SelectionKey.OP_ACCEPT);
            System.out.println("NativeFiles " + way + " listening on http:/" + server.getLocalAddress());
            while (true) {
                selector.select(key -> run(selector, server, key));
            }
        }
    }

    private void run(Selector selector, ServerSocketChannel server, SelectionKey key) {
        try {
            if (key.isAcceptable()) {
                for (SocketChannel channel = server.accept(); channel != null; channel = server.accept()) {
                    channel.configureBlocking(false);
                    channel.register(selector, SelectionKey.OP_READ, new Peer(descriptorOf(channel)));
                }
            } else {
                serve(key, (SocketChannel) key.channel(), (Peer) key.attachment());
            }
        } catch (IOException x) {
            close(key);
        } catch (Throwable x) {
            x.printStackTrace();
            System.exit(1);
        }
    }

    private static void close(SelectionKey key) {
        try {
            key.channel().close();
        } catch (IOException x) {
            System.err.println(x);
        }
    }

    private void serve(SelectionKey key, SocketChannel channel, Peer peer) throws Throwable {
        if (peer.served == null) {
            int read = channel.read(request.clear());
            if (read < 0) {
                channel.close();
                return;
            }
            begin(peer, read);
        }
        boolean isWhole = write(channel, peer);
        if (isWhole) {
            peer.served = null;
        }
        int interest = isWhole ? SelectionKey.OP_READ : SelectionKey.OP_WRITE;
        if (key.interestOps() != interest) {
            key.interestOps(interest);
        }
    }

    private void begin(Peer peer, int read) throws Exception {
        byte[] line = new byte[read];
        request.flip().get(line);
        String text = new String(line, StandardCharsets.ISO_8859_1);
        String path = text.substring("GET /files/".length(), text.indexOf(' ', 4));
        Served served = files.get(path);
        if (served == null) {
            served = open(path);
            files.put(path, served);
        }
        peer.served = served;
        peer.header = served.header.duplicate();
        peer.content = served.content == null ? null : served.content.duplicate();
        peer.sent = 0;
    }

    private Served open(String path) throws Exception {
        FileChannel channel = FileChannel.open(directory.resolve(path));
        byte[] header = ("HTTP/1.1 200 OK\r\nServer: native\r\nContent-Type: application/octet-stream\r\nAccept-Ranges: bytes\r\n"
                        + "Last-Modified: Tue, 01 Jan 2030 00:00:00 GMT\r\nContent-Length: " + channel.size() + "\r\n\r\n")
                .getBytes(StandardCharsets.ISO_8859_1);
        ByteBuffer content = null;
        if (way == Way.MEMORY) {
            content = ByteBuffer.allocateDirect((int) channel.size());
            while (content.hasRemaining() && channel.read(content) >= 0) {}
            content.flip();
        }
        ByteBuffer head = ByteBuffer.allocateDirect(header.length).put(header).flip();
        return new Served(channel, descriptorOf(channel), channel.size(), head, content);
    }

    /** Returns whether the socket has taken all. */
    private boolean write(SocketChannel channel, Peer peer) throws Throwable {
        if (way == Way.MEMORY) {
            channel.write(new ByteBuffer[] {peer.header, peer.content});
            return !peer.content.hasRemaining();
        }
        boolean corks = way == Way.CORK;
        if (corks) {
            setCork(peer, ON);
        }
        try {
            while (peer.header.hasRemaining()) {
                if ((way == Way.MORE || way == Way.MORE_TRANSFER ? sendMore(peer) : channel.write(peer.header)) == 0) {
                    return false;
                }
            }
            boolean transfers = way == Way.TRANSFER || way == Way.MORE_TRANSFER;
            long rest;
            while ((rest = Math.min(peer.served.bytes - peer.sent, MOST_BYTES)) > 0) {
                long sent = transfers
                        ? peer.served.channel.transferTo(peer.sent, rest, channel)
                        : sendfile(peer, rest);
                if (sent == 0) {
                    return false;
                }
                peer.sent += sent;
            }
            return true;
        } finally {
            if (corks) {
                setCork(peer, OFF);
            }
        }
    }

    private void setCork(Peer peer, MemorySegment value) throws Throwable {
        if ((int) SETSOCKOPT.invokeExact(STATE, peer.descriptor, IPPROTO_TCP, TCP_CORK, value, 4) < 0) {
            throw failure();
        }
    }

    private int sendMore(Peer peer) throws Throwable {
        MemorySegment bytes = MemorySegment.ofBuffer(peer.header);
        long sent = (long) SEND.invokeExact(STATE, peer.descriptor, bytes, bytes.byteSize(), MSG_MORE | MSG_NOSIGNAL);
        int taken = (int) taken(sent);
        peer.header.position(peer.header.position() + taken);
        return taken;
    }

    private long sendfile(Peer peer, long count) throws Throwable {
        OFFSET.set(ValueLayout.JAVA_LONG, 0, peer.sent);
        return taken((long) SENDFILE.invokeExact(STATE, peer.descriptor, peer.served.descriptor, OFFSET, count));
    }

    private long taken(long result) throws IOException {
        if (result >= 0) {
            return result;
        }
        IOException failure = failure();
        if ((int) ERRNO.get(STATE, 0L) == EAGAIN) {
            return 0;
        }
        throw failure;
    }

    private IOException failure() {
        return new IOException("errno " + (int) ERRNO.get(STATE, 0L));
    }

    // A channel does not say what its descriptor is: needs --add-opens java.base/sun.nio.ch=ALL-UNNAMED and java.base/java.io.
    private static int descriptorOf(SocketChannel channel) throws ReflectiveOperationException {
        Method value = Class.forName("sun.nio.ch.SelChImpl").getMethod("getFDVal");
        value.setAccessible(true);
        return (int) value.invoke(channel);
    }

    private static int descriptorOf(FileChannel channel) throws ReflectiveOperationException {
        Field descriptor = channel.getClass().getDeclaredField("fd");
        descriptor.setAccessible(true);
        Field number = java.io.FileDescriptor.class.getDeclaredField("fd");
        number.setAccessible(true);
        return number.getInt(descriptor.get(channel));
    }
}
