package dev.millrace.conformance.fuzz;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Holds many conversations at once. Confined to one thread. */
final class Client implements AutoCloseable {
    private static final long LOOK_MILLIS = 1;
    /**
     * The most that the time between two looks counts for. Where this thread waits longer for a core, the server's
     * threads do so too.
     */
    private static final long MOST_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final Selector selector = Selector.open();
    private final ByteBuffer read = ByteBuffer.allocate(64 * 1024);
    private final IdentityHashMap<Conversation, Consumer<Outcome>> conversations = new IdentityHashMap<>();
    private final List<Conversation> readable = new ArrayList<>();
    private long lookNanoTime = System.nanoTime();
    private long clockNanos;

    Client() throws IOException {}

    /** Begins a conversation, whose outcome {@link #advance} passes on. */
    void begin(Input input, Tested tested, Consumer<Outcome> outcomes) throws IOException {
        conversations.put(new Conversation(input, tested, selector, read, clockNanos), outcomes);
    }

    int conversations() {
        return conversations.size();
    }

    /** Advances all conversations as far as they can go, after a short wait if there is nothing to read. */
    void advance() throws IOException {
        selector.selectNow(this::onReadable);
        if (readable.isEmpty()) {
            // No event tells that a server rests, so that the wait is short.
            selector.select(this::onReadable, LOOK_MILLIS);
        }
        long now = System.nanoTime();
        clockNanos += Math.min(now - lookNanoTime, MOST_NANOS);
        lookNanoTime = now;
        for (Conversation one : readable) {
            advance(one, true);
        }
        readable.clear();
        for (Iterator<Conversation> all = List.copyOf(conversations.keySet()).iterator(); all.hasNext(); ) {
            advance(all.next(), false);
        }
    }

    private void onReadable(SelectionKey key) {
        readable.add((Conversation) key.attachment());
    }

    private void advance(Conversation one, boolean isReadable) throws IOException {
        Outcome outcome = one.advance(isReadable, clockNanos);
        if (outcome != null) {
            one.close();
            conversations.remove(one).accept(outcome);
        }
    }

    /** Holds one conversation alone, from its beginning to its end. */
    Outcome hold(Input input, Tested tested) {
        Outcome[] outcome = new Outcome[1];
        try {
            begin(input, tested, accepted -> outcome[0] = accepted);
            while (outcome[0] == null) {
                advance();
            }
        } catch (IOException x) {
            throw new UncheckedIOException(x);
        }
        return outcome[0];
    }

    @Override
    public void close() throws IOException {
        for (Conversation one : conversations.keySet()) {
            one.close();
        }
        selector.close();
    }
}
