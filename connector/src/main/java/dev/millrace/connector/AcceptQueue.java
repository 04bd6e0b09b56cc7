package dev.millrace.connector;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The most connections that the system keeps for a listening socket until they are accepted. See {@code somaxconn} in listen(2): Linux
 * cuts a longer backlog to it. Stateless.
 */
final class AcceptQueue {
    /** Linux has it here, for the network namespace of the process. */
    static final Path SYSTEM = Path.of("/proc/sys/net/core/somaxconn");
    /** Linux's own default since 5.4; other systems cut it to theirs. */
    static final int UNKNOWN = 4096;

    private static final Logger LOG = LoggerFactory.getLogger(AcceptQueue.class);

    private AcceptQueue() {}

    /** @return the number in a file; {@link #UNKNOWN} where there is none */
    static int read(Path file) {
        // One large read is needed: Linux tells a reader with a small buffer only the first digits.
        try (InputStream in = Files.newInputStream(file)) {
            int size = Integer.parseInt(new String(in.readNBytes(64), StandardCharsets.US_ASCII).strip());
            if (size > 0) {
                return size;
            }
            LOG.debug("No size of a queue in {}: {}", file, size);
        } catch (IOException | NumberFormatException x) {
            LOG.debug("No size of a queue in {}", file, x);
        }
        return UNKNOWN;
    }
}
