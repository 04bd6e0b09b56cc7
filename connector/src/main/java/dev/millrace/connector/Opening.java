package dev.millrace.connector;

import java.util.function.Consumer;

/**
 * The order in which listeners hear of a connection: of its end once, after its opening, also when it ends while another
 * thread is telling of that; of its opening not at all when it has ended before.
 *
 * <p>Thread-safe.
 */
final class Opening {
    private enum Stage {
        NEW, OPENING, OPEN, CLOSED
    }

    private Stage stage = Stage.NEW;
    private volatile Throwable closeCause;

    /**
     * Tells of the opening.
     *
     * @param ended tells of the end, when that has come meanwhile
     */
    void tell(Runnable opening, Consumer<Throwable> ended) {
        if (!moves(Stage.NEW, Stage.OPENING)) {
            return;
        }
        try {
            opening.run();
        } finally {
            if (!moves(Stage.OPENING, Stage.OPEN)) {
                ended.accept(closeCause);
            }
        }
    }

    /**
     * Marks the end.
     *
     * @param ended told at once whether there was an opening to be heard of; left to the thread that is telling of it, if any
     */
    void end(Throwable cause, Consumer<Boolean> ended) {
        closeCause = cause;
        Stage before = close();
        if (before != Stage.OPENING) {
            ended.accept(before == Stage.OPEN);
        }
    }

    private synchronized boolean moves(Stage from, Stage to) {
        if (stage != from) {
            return false;
        }
        stage = to;
        return true;
    }

    private synchronized Stage close() {
        Stage before = stage;
        stage = Stage.CLOSED;
        return before;
    }
}
