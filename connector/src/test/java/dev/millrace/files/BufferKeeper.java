package dev.millrace.files;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Leaks;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.zip.CRC32;
import org.eclipse.jetty.http.MetaData;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpStream;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.EventsHandler;
import org.eclipse.jetty.util.Callback;

/**
 * A server in a process of its own, for it may crash. Its application keeps the buffers of what is written, and reads them when
 * their file is closed, and again when others have been served.
 */
final class BufferKeeper {
    private static final int CACHED_BYTES = 64 * 1024;
    private static final int[] SIZES = {1_000_000, 40_000, 1000};

    private final ConcurrentLinkedQueue<ByteBuffer> kept = new ConcurrentLinkedQueue<>();
    private final ByteArrayOutputStream seen = new ByteArrayOutputStream();
    private final Path directory;
    private final Connectors connectors;
    private final SendfileHandler files = new SendfileHandler();

    private BufferKeeper(Path directory, Connectors connectors) {
        this.directory = directory;
        this.connectors = connectors;
        files.setBaseResourceAsString(directory.toString());
        files.getSettings().setValidMillis(50);
        files.getSettings().setMaxCacheBytes(CACHED_BYTES);
    }

    private synchronized void keep(ByteBuffer content) {
        if (content != null && content.hasRemaining()) {
            kept.add(content.slice());
            seen.writeBytes(bytes(List.of(content)));
        }
    }

    /** An application that is given what is written. */
    private enum Application {
        OF_EVENTS {
            @Override
            Handler around(Handler files, BufferKeeper keeper) {
                return new EventsHandler(files) {
                    @Override
                    protected void onResponseWrite(Request request, boolean last, ByteBuffer content) {
                        keeper.keep(content);
                    }
                };
            }
        },
        OF_THE_ENDS_OF_EVENTS {
            @Override
            Handler around(Handler files, BufferKeeper keeper) {
                return new EventsHandler(files) {
                    @Override
                    protected void onResponseWriteComplete(
                            Request request, boolean last, ByteBuffer content, Throwable failure) {
                        keeper.keep(content);
                    }
                };
            }
        },
        OF_THE_STREAM {
            @Override
            Handler around(Handler files, BufferKeeper keeper) {
                return Handlers.around(files, (request, response, callback) -> {
                    request.addHttpStreamWrapper(stream -> new HttpStream.Wrapper(stream) {
                        @Override
                        public void send(
                                MetaData.Request ofRequest,
                                MetaData.Response ofResponse,
                                boolean last,
                                ByteBuffer content,
                                Callback written) {
                            keeper.keep(content);
                            super.send(ofRequest, ofResponse, last, content, written);
                        }
                    });
                    return files.handle(request, response, callback);
                });
            }
        },
        OF_RESPONSES {
            @Override
            Handler around(Handler files, BufferKeeper keeper) {
                return Handlers.around(
                        files,
                        (request, response, callback) -> files.handle(
                                request,
                                new Response.Wrapper(request, response) {
                                    @Override
                                    public void write(boolean last, ByteBuffer content, Callback written) {
                                        keeper.keep(content);
                                        super.write(last, content, written);
                                    }
                                },
                                callback));
            }
        },
        OF_CONTENTS {
            @Override
            Handler around(Handler files, BufferKeeper keeper) {
                return Handlers.around(files, (request, response, callback) -> {
                    Content.Sink sink = (last, content, written) -> {
                        keeper.keep(content);
                        response.write(last, content, written);
                    };
                    keeper.files
                            .getSendfileContentFactory()
                            .getContent(Request.getPathInContext(request))
                            .writeTo(sink, 0, -1, callback);
                    return true;
                });
            }
        };

        abstract Handler around(Handler files, BufferKeeper keeper);
    }

    private static byte[] bytes(List<ByteBuffer> buffers) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (ByteBuffer buffer : buffers) {
            byte[] part = new byte[buffer.remaining()];
            buffer.duplicate().get(part);
            bytes.writeBytes(part);
        }
        return bytes.toByteArray();
    }

    private static void assertSame(String what, byte[] expected, byte[] actual) {
        int difference = Arrays.mismatch(expected, actual);
        if (difference >= 0) {
            throw new AssertionError(
                    what + ": other bytes from " + difference + " of " + expected.length + " on, of " + actual.length);
        }
    }

    private void check(Application application, int bytes, String field) throws Exception {
        String what = application + " " + bytes + " " + field;
        System.out.println(what);
        byte[] content = TestFiles.write(directory, "kept.bin", bytes);
        byte[] other = TestFiles.write(directory, "other.bin", bytes);
        try (TestServer server = new TestServer(connectors::http).start(application.around(files, this));
                RawClient client = server.client()) {
            byte[] body = ask(what, client, "/kept.bin", content, field);
            List<ByteBuffer> ofTheLast = List.copyOf(kept);
            Files.delete(directory.resolve("kept.bin"));
            Await.until(
                    "let go of",
                    () -> Leaks.mappings(directory.resolve("kept.bin")) == 0
                            && Leaks.descriptors(directory.resolve("kept.bin")) == 0);
            checkKept(what, body, ofTheLast);
            ask(what, client, "/other.bin", other, field);
            checkKept(what, body, ofTheLast);
        }
        kept.clear();
    }

    /** Asks until it comes from the content cache, if it is small enough for that. */
    private byte[] ask(String what, RawClient client, String path, byte[] content, String field) throws Exception {
        byte[] body = null;
        for (int i = 0; i < 8; i++) {
            kept.clear();
            seen.reset();
            body = client.send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n" + field + "\r\n\r\n")
                    .answer()
                    .body();
            int length = body.length;
            // The client may have the last bytes before their write has ended.
            Await.until("all seen", () -> seen.size() == length);
            assertSame(what + " (seen)", body, seen.toByteArray());
            if (!field.contains(",")) {
                assertSame(what, field.isEmpty() ? content : Arrays.copyOfRange(content, 100, content.length), body);
            }
        }
        return body;
    }

    // Of large contents, and of several ranges, Jetty's own blocks, in which others' bytes come to be.
    private static void checkKept(String what, byte[] body, List<ByteBuffer> buffers) {
        byte[] bytes = bytes(buffers);
        if (body.length < CACHED_BYTES && !what.contains(",")) {
            assertSame(what + " (kept)", body, bytes);
        } else if (bytes.length != body.length) {
            throw new AssertionError(what + ": " + bytes.length + " kept of " + body.length);
        }
    }

    // What native code reads of a mapping beyond the end of its file ends the process.
    private void checkOfAFileThatIsCut() throws Exception {
        System.out.println("cut");
        TestFiles.write(directory, "cut.bin", 1_000_000);
        CRC32 sum = new CRC32();
        Handler events = new EventsHandler(files) {
            @Override
            protected void onResponseWrite(Request request, boolean last, ByteBuffer content) {
                try {
                    TestFiles.resize(directory.resolve("cut.bin"), 1);
                } catch (IOException x) {
                    throw new AssertionError(x);
                }
                if (content != null) {
                    sum.update(content);
                }
            }
        };
        try (TestServer server = new TestServer(connectors::http).start(events);
                RawClient client = server.client()) {
            client.get("/cut.bin");
            // Some comes, and no more.
            client.readToEnd();
        }
    }

    public static void main(String[] arguments) throws Exception {
        Path directory = Path.of(arguments[0]);
        Connectors connectors = Connectors.valueOf(arguments[1]);
        for (Application application : Application.values()) {
            for (int bytes : SIZES) {
                BufferKeeper keeper = new BufferKeeper(directory, connectors);
                keeper.check(application, bytes, "");
                if (application != Application.OF_CONTENTS) {
                    keeper.check(application, bytes, "Range: bytes=100-");
                    keeper.check(application, bytes, "Range: bytes=0-" + bytes / 3 + "," + bytes / 2 + "-");
                }
            }
        }
        new BufferKeeper(directory, connectors).checkOfAFileThatIsCut();
        System.out.println("fine");
        System.exit(0);
    }
}
