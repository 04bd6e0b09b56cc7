package dev.millrace.transfer;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How transfers share the workers, and what a transfer does when its socket takes no more. Chosen by name; see
 * {@link #of}. Immutable.
 *
 * <p>All but the last are those of Igor Minar's grizzly-sendfile (2009).
 */
public abstract sealed class TransferAlgorithm
        permits SimpleBlocking, EqualNonBlocking, EqualBlocking, Adaptive {
    private static final Pattern SYNTAX = Pattern.compile("(\\w+)(?:\\((\\d{1,9})\\))?");
    /** As nginx's sendfile_max_chunk. */
    static final int TURN_BYTES = 2 * 1024 * 1024;

    /**
     * Finds an algorithm by its name.
     *
     * @param text {@code SimpleBlocking}: a worker owns a transfer until its end; {@code EqualNonBlocking}: a turn ends when the
     *     socket takes no more, and any worker goes on when it does; {@code EqualBlocking(bytes)}: a turn ends when that many
     *     bytes are sent, 262,144 unless given; {@code Adaptive}: goes by how long the client needed, the last
     *     time, to make room
     * @return the algorithm; its {@code toString} is its name
     * @throws IllegalArgumentException for any other text
     */
    public static TransferAlgorithm of(String text) {
        Matcher parts = SYNTAX.matcher(text.trim());
        if (!parts.matches()) {
            throw unknown(text);
        }
        String bytes = parts.group(2);
        if (parts.group(1).equals("EqualBlocking")) {
            return bytes == null ? EqualBlocking.INSTANCE : new EqualBlocking(Integer.parseInt(bytes));
        }
        if (bytes != null) {
            throw unknown(text);
        }
        return switch (parts.group(1)) {
            case "SimpleBlocking" -> SimpleBlocking.INSTANCE;
            case "EqualNonBlocking" -> EqualNonBlocking.INSTANCE;
            case "Adaptive" -> Adaptive.INSTANCE;
            default -> throw unknown(text);
        };
    }

    private static IllegalArgumentException unknown(String text) {
        return new IllegalArgumentException("algorithm is SimpleBlocking, EqualNonBlocking, EqualBlocking, "
                + "EqualBlocking(bytes) or Adaptive, not " + text);
    }

    /** @return the way of one transfer, new unless it remembers nothing */
    abstract Course newCourse();

    /** @return the bytes after which a connection with a thread of its own lets others have their turn; 0: never */
    int blockingTurnBytes() {
        return 0;
    }
}
