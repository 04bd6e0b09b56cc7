package dev.millrace.files;

/** What the numbers of settings are checked by. */
final class Bounds {
    private Bounds() {}

    /**
     * @return the value
     * @throws IllegalArgumentException when it is less than that
     */
    static long atLeast(long least, String name, long value) {
        if (value < least) {
            throw new IllegalArgumentException(name + " is at least " + least + ", not " + value);
        }
        return value;
    }

    /** As {@link #atLeast(long, String, long)}. */
    static int atLeast(int least, String name, int value) {
        return (int) atLeast((long) least, name, (long) value);
    }
}
