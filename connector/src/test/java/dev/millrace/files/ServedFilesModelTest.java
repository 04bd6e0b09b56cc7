package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Leaks;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.Steps;
import dev.millrace.testing.Steps.Step;
import dev.millrace.testing.TestServer;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import org.eclipse.jetty.util.IO;
import org.junit.jupiter.api.condition.OS;

/**
 * Sequences of steps of clients and of what changes files, over real sockets, with caches that hold fewer files than there are.
 * An answer has the bytes of the version that its header is of, or is cut off because the file was written to. No
 * connection, buffer, descriptor, mapping or slice is left at the end.
 */
class ServedFilesModelTest {
    private static final int FILES = 4;
    private static final int[] SIZES = {300, 9_000, 60_000, 90_000, 700_000};
    private static final int SMALL_BUFFER_BYTES = 8192;

    enum Kind {
        /** Asks for a file, and reads the header of its answer. */
        ASK,
        /** Reads as often as brings a small file into the content cache. */
        ASK_OFTEN,
        READ,
        FINISH,
        RESET,
        MOVE_OVER,
        DELETE,
        OVERWRITE,
        TRUNCATE,
        APPEND,
        EVICT
    }

    @Provide
    Arbitrary<List<Step<Kind>>> sequences() {
        return Steps.sequences(
                40,
                Tuple.of(8, Kind.ASK),
                Tuple.of(4, Kind.ASK_OFTEN),
                Tuple.of(5, Kind.READ),
                Tuple.of(5, Kind.FINISH),
                Tuple.of(2, Kind.RESET),
                Tuple.of(4, Kind.MOVE_OVER),
                Tuple.of(1, Kind.DELETE),
                Tuple.of(1, Kind.OVERWRITE),
                Tuple.of(1, Kind.TRUNCATE),
                Tuple.of(1, Kind.APPEND),
                Tuple.of(1, Kind.EVICT));
    }

    @Provide
    Arbitrary<Connectors> senders() {
        return Arbitraries.of(Connectors.senders().toList());
    }

    @Property
    void anAnswerIsOfOneVersionOrCutOff(
            @ForAll("senders") Connectors connectors, @ForAll("sequences") List<Step<Kind>> steps) throws Exception {
        Path directory = Files.createTempDirectory("served-files");
        SendfileHandler files = new SendfileHandler();
        try (Model model = new Model(directory, files, connectors)) {
            for (Step<Kind> step : steps) {
                model.take(step);
            }
        }
        if (OS.LINUX.isCurrentOs()) {
            Await.until("descriptors", () -> Leaks.descriptors(directory) == 0);
            Await.until("mappings", () -> Leaks.mappings(directory) == 0);
        }
        IO.delete(directory);
        assertEquals(0, files.getSendfileContentFactory().getCachedBytes());
    }

    /** A file and what has been written into it, version after version. */
    private static final class Inode {
        private final List<byte[]> versions = new ArrayList<>();
        private boolean isShortened;

        private byte[] now() {
            return versions.get(versions.size() - 1);
        }
    }

    /** What was at a path when it was asked for. */
    private record Version(Inode inode, int index) {
        private byte[] bytes() {
            return inode.versions.get(index);
        }

        private boolean isWrittenTo() {
            return index < inode.versions.size() - 1;
        }

        // What is in the socket shows the pages of the file: see sendfile(2).
        private boolean mayBe(int position, byte found) {
            return (inode.isShortened && found == 0)
                    || inode.versions.stream()
                            .skip(index)
                            .anyMatch(bytes -> position < bytes.length && bytes[position] == found);
        }
    }

    /** An answer whose header has been read. */
    private static final class Answer {
        private final RawClient client;
        private final Version version;
        private final int length;
        private int position;

        private Answer(RawClient client, Version version) {
            this.client = client;
            this.version = version;
            this.length = version.bytes().length;
        }

        /** @return whether there is more */
        private boolean read(int most) throws IOException {
            int wanted = Math.min(most, length - position);
            byte[] block = new byte[wanted];
            int read;
            try {
                read = client.in().readNBytes(block, 0, wanted);
            } catch (IOException reset) {
                read = 0;
            }
            for (int i = 0; i < read; i++) {
                int at = position + i;
                assertTrue(version.mayBe(at, block[i]), () -> "wrong byte at " + at + " of " + length);
            }
            position += read;
            if (read < wanted) {
                assertTrue(version.isWrittenTo(), "cut off at " + position + ", though nobody wrote to the file");
                return false;
            }
            return position < length;
        }
    }

    /** The server, and what it should answer. */
    private static final class Model implements AutoCloseable {
        private final Path directory;
        private final TestServer server;
        private final SendfileContentFactory cache;
        private final Inode[] inodes = new Inode[FILES];
        private final List<Answer> answers = new ArrayList<>();
        private final Random random = new Random(0);
        private long seconds = 1_000_000_000;

        private Model(Path directory, SendfileHandler files, Connectors connectors) throws Exception {
            this.directory = directory;
            cache = files.getSendfileContentFactory();
            cache.getSettings().setValidMillis(0);
            cache.getSettings().setMaxOpenFiles(2);
            cache.getSettings().setMaxCacheBytes(100_000);
            cache.getSettings().setMaxCachedFileBytes(100_000);
            files.setBaseResourceAsString(directory.toString());
            server = new TestServer(connectors::http);
            server.connector().setAcceptedSendBufferSize(SMALL_BUFFER_BYTES);
            // However slow the machine is: an answer may stay open for many steps.
            server.connector().setIdleTimeout(120_000);
            server.millrace().setMinResponseBytesPerSecond(0);
            server.start(files);
            for (int i = 0; i < FILES; i++) {
                change(Kind.MOVE_OVER, i, SIZES[i]);
            }
        }

        private void take(Step<Kind> step) throws Exception {
            int number = step.number() % FILES;
            switch (step.kind()) {
                case ASK -> ask(number);
                case ASK_OFTEN -> {
                    for (int i = 0; i < 6; i++) {
                        ask(number);
                        if (inodes[number] != null) {
                            finish(answers.remove(answers.size() - 1));
                        }
                    }
                }
                case READ -> {
                    if (!answers.isEmpty()) {
                        Answer answer = answers.remove(step.number() % answers.size());
                        if (answer.read(1 + step.number() * 2000)) {
                            answers.add(answer);
                        } else {
                            answer.client.close();
                        }
                    }
                }
                case FINISH -> {
                    if (!answers.isEmpty()) {
                        finish(answers.remove(step.number() % answers.size()));
                    }
                }
                case RESET -> {
                    if (!answers.isEmpty()) {
                        Socket socket = answers.remove(step.number() % answers.size())
                                .client
                                .socket();
                        socket.setSoLinger(true, 0);
                        socket.close();
                    }
                }
                case EVICT -> cache.openFiles().giveUp();
                default -> change(step.kind(), number, SIZES[step.number() % SIZES.length]);
            }
        }

        private void ask(int number) throws IOException {
            RawClient client = new RawClient(server.port(), SMALL_BUFFER_BYTES);
            client.get("/" + number + ".bin");
            Inode inode = inodes[number];
            String status = client.line();
            String length = "";
            for (String line = client.line(); !line.isEmpty(); line = client.line()) {
                length = line.startsWith("Content-Length: ") ? line.substring(16) : length;
            }
            if (inode == null) {
                assertEquals("HTTP/1.1 404 Not Found", status);
                client.close();
            } else {
                assertEquals("HTTP/1.1 200 OK", status);
                assertEquals(inode.now().length, Integer.parseInt(length));
                answers.add(new Answer(client, new Version(inode, inode.versions.size() - 1)));
            }
        }

        private static void finish(Answer answer) throws IOException {
            answer.read(Integer.MAX_VALUE);
            answer.client.close();
        }

        private void change(Kind kind, int number, int size) throws IOException {
            Path path = directory.resolve(number + ".bin");
            switch (kind) {
                case MOVE_OVER -> {
                    Path next = directory.resolve("next");
                    inodes[number] = new Inode();
                    write(next, inodes[number], bytes(size));
                    Files.move(next, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
                }
                case DELETE -> {
                    Files.deleteIfExists(path);
                    inodes[number] = null;
                }
                default -> {
                    if (inodes[number] != null) {
                        change(kind, path, inodes[number]);
                    }
                }
            }
        }

        private void change(Kind kind, Path path, Inode inode) throws IOException {
            byte[] now = inode.now();
            if (kind == Kind.OVERWRITE) {
                write(path, inode, bytes(now.length));
            } else if (kind == Kind.APPEND) {
                byte[] longer = bytes(now.length + 1000);
                System.arraycopy(now, 0, longer, 0, now.length);
                write(path, inode, longer);
            } else {
                inode.isShortened = true;
                truncate(path, inode, Arrays.copyOf(now, now.length / 2));
            }
        }

        private void truncate(Path path, Inode inode, byte[] bytes) throws IOException {
            try (FileChannel file = FileChannel.open(path, StandardOpenOption.WRITE)) {
                file.truncate(bytes.length);
            }
            write(path, inode, bytes);
        }

        private void write(Path path, Inode inode, byte[] bytes) throws IOException {
            inode.versions.add(bytes);
            try (FileChannel file = FileChannel.open(path, StandardOpenOption.WRITE, StandardOpenOption.CREATE)) {
                file.write(ByteBuffer.wrap(bytes));
            }
            // Of what is written twice within a tick of the clock nobody could tell.
            Files.setLastModifiedTime(path, FileTime.fromMillis(1000 * seconds++));
        }

        private byte[] bytes(int size) {
            byte[] bytes = new byte[size];
            random.nextBytes(bytes);
            return bytes;
        }

        @Override
        public void close() throws Exception {
            for (Answer answer : answers) {
                finish(answer);
            }
            server.close();
        }
    }
}
