package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.files.cache.ContentCache;
import dev.millrace.files.cache.ContentMemory;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestFiles;
import dev.millrace.testing.TestServer;
import java.lang.reflect.Field;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.util.NanoTime;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which file leaves the content cache for another, and how recent its uses must be for a file to come in. */
@Timeout(60)
class LeastUsedContentTest {
    /** Five have room at a time. */
    private static final int FILE_BYTES = 20 * 1024;

    private static final int ROOM = 5;
    private static final int ADMITTING_USES = 5;
    /** Enough for their order to be noted, of which each fifth is. */
    private static final int MANY_USES = 50;

    @TempDir
    Path directory;

    private final SendfileHandler files = new SendfileHandler();

    @BeforeEach
    void baseResource() {
        files.setBaseResourceAsString(directory.toString());
        cache().getSettings().setMaxCacheBytes(ROOM * FILE_BYTES);
        cache().getSettings().setMaxCachedFileBytes(FILE_BYTES);
        cache().getSettings().setValidMillis(-1);
    }

    private SendfileContentFactory cache() {
        return files.getSendfileContentFactory();
    }

    private TestServer server() throws Exception {
        return new TestServer(Connectors.NIO::http).start(files);
    }

    private ContentCache.Slot slot(String name) throws Exception {
        TestFiles.write(directory, name, FILE_BYTES);
        return cache().contentCache().slot(((SendfileContent) cache().getContent("/" + name)).file());
    }

    /** @return whether the last use was from memory */
    private boolean use(ContentCache.Slot slot, int times) {
        boolean isInMemory = false;
        for (int i = 0; i < times; i++) {
            ContentMemory used = slot.use();
            isInMemory = used != null;
            if (isInMemory) {
                used.release();
            }
        }
        return isInMemory;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4})
    void theLeastUsedLeaves(int least) throws Exception {
        try (TestServer ignored = server()) {
            List<ContentCache.Slot> slots = new ArrayList<>();
            for (int i = 0; i < ROOM; i++) {
                slots.add(slot(i + ".bin"));
                assertTrue(use(slots.get(i), ADMITTING_USES), "comes in");
            }
            for (int i = 0; i < ROOM; i++) {
                use(slots.get(i), i == least ? 1 : MANY_USES);
            }
            assertTrue(use(slot("other.bin"), ADMITTING_USES), "comes in");
            assertEquals(ROOM, cache().getCachedFiles());
            for (int i = 0; i < ROOM; i++) {
                assertEquals(i != least, use(slots.get(i), 1), i + " beside " + least);
            }
            assertEquals(ROOM + 1, cache().getCacheAdmissions());
        }
    }

    /** Others come and go, each asked for as often as brings it in. */
    @Test
    void aHotOneStays() throws Exception {
        int others = 40;
        byte[] hot = TestFiles.write(directory, "hot.bin", FILE_BYTES);
        try (TestServer server = server();
                RawClient client = server.client()) {
            get(client, "hot.bin", hot, ADMITTING_USES);
            for (int i = 0; i < others; i++) {
                if (i == ROOM - 1) {
                    // Not sooner: the order is not noted before there is something to choose from.
                    get(client, "hot.bin", hot, MANY_USES);
                }
                get(client, i + ".bin", TestFiles.write(directory, i + ".bin", FILE_BYTES), ADMITTING_USES);
                get(client, "hot.bin", hot, 1);
            }
            assertEquals(1 + others, cache().getCacheAdmissions(), "each came in once");
            assertEquals(MANY_USES + others, cache().getCacheHits(), "all by the hot one");
            assertEquals(ROOM, cache().getCachedFiles());
        }
    }

    private static void get(RawClient client, String name, byte[] expected, int times) throws Exception {
        for (int i = 0; i < times; i++) {
            assertArrayEquals(expected, client.get("/" + name).answer().body());
        }
    }

    @Test
    void usesOfLongAgoDoNotCount() throws Exception {
        try (TestServer ignored = server()) {
            ContentCache.Slot rare = slot("rare");
            use(rare, ADMITTING_USES - 1);
            setBack(rare, 11);
            assertFalse(use(rare, ADMITTING_USES - 1), "the first four were too long ago");
            assertTrue(use(rare, 1));
        }
    }

    @Test
    void usesOfSomeSecondsDo() throws Exception {
        try (TestServer ignored = server()) {
            ContentCache.Slot slow = slot("slow");
            use(slow, ADMITTING_USES - 1);
            setBack(slow, 5);
            assertTrue(use(slow, 1));
        }
    }

    /** As if the first use had been so many seconds ago. */
    private static void setBack(ContentCache.Slot slot, int seconds) throws Exception {
        Field since = ContentCache.Slot.class.getDeclaredField("sinceNanoTime");
        since.setAccessible(true);
        since.set(slot, NanoTime.now() - TimeUnit.SECONDS.toNanos(seconds));
    }
}
