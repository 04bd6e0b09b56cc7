package dev.millrace.files;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.files.cache.ContentCache;
import dev.millrace.files.cache.ContentMemory;
import dev.millrace.files.cache.FileCloser;
import dev.millrace.files.cache.GrowingMemory;
import dev.millrace.files.cache.OpenFile;
import dev.millrace.files.cache.SliceMemory;
import dev.millrace.testing.Steps;
import dev.millrace.testing.Steps.Step;
import dev.millrace.testing.TestFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/**
 * Sequences of steps on a content cache that holds a few of its files. What an answer holds stays as it is until it is given
 * back. The slices in use are those of what answers or the cache hold, and none at the end.
 */
class ContentCacheModelTest {
    private static final int FILES = 12;
    private static final int CACHE_BYTES = 24 * 1024;
    private static final int BLOCK_BYTES = 12 * 1024;
    private static final int ADMITTING_USES = 5;

    private static Path directory;
    private static final List<byte[]> CONTENTS = new ArrayList<>();

    enum Kind {
        /** An answer begins, as often as brings its file in. */
        SERVE,
        SERVE_ONCE,
        /** An answer ends, or is given up. */
        RELEASE,
        /** A version of a file is no more. */
        RETIRE,
        /** A file is found again, as another version. */
        LOOK_UP,
        /** A file cannot be read as far as it was. */
        FAIL,
        CLEAR
    }

    @BeforeContainer
    static void writeFiles() throws IOException {
        directory = Files.createTempDirectory("content-cache");
        for (int i = 0; i < FILES; i++) {
            CONTENTS.add(TestFiles.write(directory, i + ".bin", i * 1000));
        }
    }

    @AfterContainer
    static void deleteFiles() throws IOException {
        for (int i = 0; i < FILES; i++) {
            Files.delete(directory.resolve(i + ".bin"));
        }
        Files.delete(directory);
    }

    @Provide
    Arbitrary<List<Step<Kind>>> sequences() {
        return Steps.sequences(
                300,
                Tuple.of(6, Kind.SERVE),
                Tuple.of(3, Kind.SERVE_ONCE),
                Tuple.of(6, Kind.RELEASE),
                Tuple.of(2, Kind.RETIRE),
                Tuple.of(2, Kind.LOOK_UP),
                Tuple.of(1, Kind.FAIL),
                Tuple.of(1, Kind.CLEAR));
    }

    @Property
    void memoryIsOfItsHoldersAndThenFree(@ForAll("sequences") List<Step<Kind>> steps) throws Exception {
        try (Model model = new Model()) {
            for (Step<Kind> step : steps) {
                model.take(step);
                model.check();
            }
        }
    }

    /** The cache, and what it should do. */
    private static final class Model implements AutoCloseable {
        private final GrowingMemory memory = new GrowingMemory(CACHE_BYTES, BLOCK_BYTES, 0, ByteBuffer::allocateDirect);
        private final ContentCache cache =
                new ContentCache(memory, CACHE_BYTES, BLOCK_BYTES, new ContentCache.Counts());
        private final FileCloser closer = new FileCloser();
        private final OpenFile[] files = new OpenFile[FILES];
        private final ContentCache.Slot[] slots = new ContentCache.Slot[FILES];
        private final List<Answer> answers = new ArrayList<>();

        private record Answer(int file, ContentMemory memory) {
            private void check() {
                byte[] expected = CONTENTS.get(file);
                byte[] found = new byte[expected.length];
                memory.part(0, found.length).get(found);
                assertArrayEquals(expected, found);
            }
        }

        private Model() throws IOException {
            for (int i = 0; i < FILES; i++) {
                lookUp(i);
            }
        }

        private void lookUp(int i) throws IOException {
            if (files[i] == null) {
                files[i] = OpenFile.open(directory.resolve(i + ".bin"), closer);
                slots[i] = cache.slot(files[i]);
            }
        }

        private void take(Step<Kind> step) throws IOException {
            int i = step.number() % FILES;
            switch (step.kind()) {
                case SERVE -> {
                    for (int use = 0; use < ADMITTING_USES; use++) {
                        serve(i);
                    }
                }
                case SERVE_ONCE -> serve(i);
                case RELEASE -> {
                    if (!answers.isEmpty()) {
                        answers.remove(step.number() % answers.size()).memory().release();
                    }
                }
                case RETIRE -> retire(i);
                case LOOK_UP -> lookUp(i);
                case FAIL -> serveShortened(i);
                case CLEAR -> cache.clear();
            }
        }

        // Of a file that is closed too: a request may have looked it up before.
        private void serve(int i) {
            ContentMemory found = slots[i].use();
            if (found != null) {
                answers.add(new Answer(i, found));
            }
        }

        private void retire(int i) {
            if (files[i] != null) {
                slots[i].retire();
                files[i].release();
                files[i] = null;
            }
        }

        // Nobody sees what was read of it before its end.
        private void serveShortened(int i) throws IOException {
            if (CONTENTS.get(i).length == 0) {
                return;
            }
            Path path = directory.resolve(i + ".bin");
            retire(i);
            lookUp(i);
            Files.write(path, new byte[CONTENTS.get(i).length / 2]);
            for (int use = 0; use < ADMITTING_USES; use++) {
                assertNull(slots[i].use());
            }
            retire(i);
            Files.write(path, CONTENTS.get(i));
            lookUp(i);
        }

        private void check() {
            Set<ContentMemory> held = Collections.newSetFromMap(new IdentityHashMap<>());
            for (Answer answer : answers) {
                answer.check();
                held.add(answer.memory());
            }
            int slices = held.stream().mapToInt(ContentMemory::slices).sum();
            assertTrue(memory.usedSlices() >= slices, "what is held is in use");
            assertTrue(memory.usedSlices() * SliceMemory.SLICE_BYTES <= memory.takenBytes());
            assertTrue(memory.takenBytes() <= CACHE_BYTES);
        }

        @Override
        public void close() {
            for (int i = 0; i < FILES; i++) {
                retire(i);
            }
            check();
            Set<ContentMemory> held = Collections.newSetFromMap(new IdentityHashMap<>());
            answers.forEach(answer -> held.add(answer.memory()));
            assertEquals(held.stream().mapToInt(ContentMemory::slices).sum(), memory.usedSlices());
            answers.forEach(answer -> answer.memory().release());
            assertEquals(0, memory.usedSlices());
            assertEquals(0, cache.files());
        }
    }
}
