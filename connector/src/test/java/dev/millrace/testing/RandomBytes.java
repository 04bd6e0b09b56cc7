package dev.millrace.testing;

import java.util.Random;

/** Bytes of which no piece is like another, and that no compression shortens: always the same ones for a size. */
public final class RandomBytes {
    private RandomBytes() {}

    public static byte[] of(int size) {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        return bytes;
    }
}
