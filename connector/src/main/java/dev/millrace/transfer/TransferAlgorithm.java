package dev.millrace.transfer;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How transfers share the workers, and what a transfer does when its socket takes no more. Chosen by name; see
 * {@link #of}. Immutable.
 *
 * <p>The first three are those of Igor Minar's grizzly-sendfile (2009).
 */
public abstract sealed class TransferAlgorithm permits SimpleBlocking, EqualNonBlocking, EqualBlocking {
    private static final Pattern SYNTAX = Pattern.compile("(\\w+)(?:\\((\\d{1,9})\\))?");
    /** As nginx's sendfile_max_chunk. */
    static final int TURN_BYTES = 2 * 1024 * 1024;

    /**
     * Finds an algorithm by its name.
     *
     * @param text {@code SimpleBlocking}: a worker owns a transfer until its end; {@code EqualNonBlocking}: a turn ends when the
     *     socket takes no more, and any worker goes on when it does; {@code EqualBlocking(bytes)}: a turn ends when that many
     *     bytes are sent, 81,920 unless given
     * @return the algorithm; its {@code toString} is its name
     * @throws IllegalArgumentException for any other text
     */
    public static TransferAlgorithm of(String text) {
        Matcher parts = SYNTAX.matcher(text.trim());
        if (parts.matches()) {
            String bytes = parts.group(2);
            switch (parts.group(1)) {
                case "SimpleBlocking":
                    if (bytes == null) {
                        return SimpleBlocking.INSTANCE;
                    }
                    break;
                case "EqualNonBlocking":
                    if (bytes == null) {
                        return EqualNonBlocking.INSTANCE;
                    }
                    break;
                case "EqualBlocking":
                    return bytes == null ? EqualBlocking.CLASSIC : new EqualBlocking(Integer.parseInt(bytes));
                default:
                    break;
            }
        }
        throw new IllegalArgumentException(
                "algorithm is SimpleBlocking, EqualNonBlocking, EqualBlocking or EqualBlocking(bytes), not " + text);
    }

    /** @return the way of one transfer, new unless it remembers nothing */
    abstract Course newCourse();

    /** @return the bytes after which a connection with a thread of its own lets others have their turn; 0: never */
    int blockingTurnBytes() {
        return 0;
    }
}
