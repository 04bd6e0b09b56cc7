package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.RawClient.Answer;
import dev.millrace.testing.TestServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.util.resource.Resource;
import org.eclipse.jetty.util.resource.ResourceFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A base that is a link, which is led to the next release while requests look where their files are. */
class SwitchedRootTest {
    /** More often than a look-up asks for its base. */
    private static final int MOST_LOOKS = 10;

    @TempDir
    Path directory;

    private final AtomicInteger switches = new AtomicInteger();
    private volatile Thread asking;

    /** Switches the link when its path is asked for, once. */
    private final class SwitchedBase extends Resource {
        private final Resource link;
        private final AtomicInteger looks = new AtomicInteger();

        private SwitchedBase(Resource link) {
            this.link = link;
        }

        @Override
        public Path getPath() {
            // A sweep of the open files looks, too.
            if (Thread.currentThread() == asking && looks.decrementAndGet() == 0) {
                try {
                    switchRelease();
                } catch (IOException x) {
                    throw new UncheckedIOException(x);
                }
            }
            return link.getPath();
        }

        @Override
        public boolean isDirectory() {
            return link.isDirectory();
        }

        @Override
        public boolean isReadable() {
            return link.isReadable();
        }

        @Override
        public boolean exists() {
            return link.exists();
        }

        @Override
        public URI getURI() {
            return link.getURI();
        }

        @Override
        public String getName() {
            return link.getName();
        }

        @Override
        public String getFileName() {
            return link.getFileName();
        }

        @Override
        public Resource resolve(String path) {
            return link.resolve(path);
        }
    }

    private Path current() {
        return directory.resolve("current");
    }

    private void switchRelease() throws IOException {
        String release = switches.getAndIncrement() % 2 == 0 ? "first" : "second";
        Path next = Files.createSymbolicLink(directory.resolve("next"), directory.resolve(release));
        Files.move(next, current(), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    @Test
    void findsAFileInWhicheverReleaseIsThere() throws Exception {
        for (String release : new String[] {"first", "second"}) {
            Files.writeString(Files.createDirectory(directory.resolve(release)).resolve("file.txt"), release);
        }
        switchRelease();
        SendfileHandler files = new SendfileHandler();
        files.getSettings().setValidMillis(0);
        SwitchedBase base = new SwitchedBase(ResourceFactory.of(files).newResource(current()));
        files.setBaseResource(base);
        Handler asked = Handlers.around(files, (request, response, callback) -> {
            asking = Thread.currentThread();
            return files.handle(request, response, callback);
        });
        try (TestServer server = new TestServer(Connectors.NIO::http).start(asked);
                RawClient client = server.client()) {
            for (int i = 1; i <= MOST_LOOKS; i++) {
                base.looks.set(i);
                Answer answer = client.get("/file.txt").answer();
                assertEquals(200, answer.status(), "switched at look " + i);
                base.looks.set(0);
                assertEquals(
                        Files.readString(current().resolve("file.txt")),
                        client.get("/file.txt").answer().text());
                // So that the next request looks where its file is.
                switchRelease();
            }
        }
    }
}
