package dev.millrace.conformance.fuzz;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.SplittableRandom;

/** Makes malformed requests of valid ones, by a few small changes each. */
final class Mutations {
    private static final String[] TOKENS = {
        "\r\n",
        "\n",
        "\r",
        " ",
        "\t",
        ":",
        ";",
        ",",
        "\0",
        "\u007f",
        "\u0080",
        "\"",
        "%",
        "/",
        "-1",
        "0",
        "99999999999999999999",
        "ffffffff",
        "80000000",
        "HTTP/1.1",
        "Content-Length: 1\r\n",
        "Transfer-Encoding: chunked\r\n",
        "Host: b\r\n",
        "\r\n\r\n",
        "0\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "\u0016\u0003\u0001"
    };

    private final SplittableRandom random;

    Mutations(SplittableRandom random) {
        this.random = random;
    }

    /**
     * Changes bytes at a few places.
     *
     * @param other bytes of which parts may be inserted
     */
    byte[] mutate(byte[] bytes, byte[] other) {
        byte[] mutated = bytes;
        for (int i = 1 + random.nextInt(random.nextInt(4) == 0 ? 8 : 2); i > 0 && mutated.length > 0; i--) {
            mutated = mutateOnce(mutated, other);
        }
        return mutated.length == 0 ? new byte[] {'\n'} : mutated;
    }

    private byte[] mutateOnce(byte[] bytes, byte[] other) {
        int begin = random.nextInt(bytes.length);
        int end = Math.min(bytes.length, begin + 1 + random.nextInt(random.nextInt(4) == 0 ? 200 : 4));
        return switch (random.nextInt(8)) {
            case 0 -> splice(bytes, begin, begin + 1, new byte[] {(byte) (bytes[begin] ^ 1 << random.nextInt(8))});
            case 1 -> splice(bytes, begin, begin + 1, new byte[] {(byte) random.nextInt(256)});
            case 2 -> splice(bytes, begin, end, new byte[0]);
            case 3 -> splice(bytes, begin, begin, Arrays.copyOfRange(bytes, begin, end));
            case 4 -> splice(bytes, begin, begin, token());
            case 5 -> splice(bytes, begin, end, token());
            case 6 -> Arrays.copyOf(bytes, begin);
            default -> {
                int from = other.length == 0 ? 0 : random.nextInt(other.length);
                int to = Math.min(other.length, from + 1 + random.nextInt(100));
                yield splice(bytes, begin, end, Arrays.copyOfRange(other, from, to));
            }
        };
    }

    private byte[] token() {
        return TOKENS[random.nextInt(TOKENS.length)].getBytes(StandardCharsets.ISO_8859_1);
    }

    private static byte[] splice(byte[] bytes, int begin, int end, byte[] inserted) {
        ByteArrayOutputStream spliced = new ByteArrayOutputStream(bytes.length + inserted.length);
        spliced.write(bytes, 0, begin);
        spliced.writeBytes(inserted);
        spliced.write(bytes, end, bytes.length - end);
        return spliced.toByteArray();
    }
}
