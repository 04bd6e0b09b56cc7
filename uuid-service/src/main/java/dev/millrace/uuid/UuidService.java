package dev.millrace.uuid;

import com.fasterxml.uuid.EthernetAddress;
import com.fasterxml.uuid.Generators;
import com.fasterxml.uuid.NoArgGenerator;
import com.fasterxml.uuid.UUIDClock;
import com.fasterxml.uuid.UUIDTimer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;

/**
 * Makes UUIDs for the batches of a request, and owns the limit of their number. It knows neither HTTP nor XML.
 * Thread-safe: generators synchronize themselves, except that of version 7, whose lock is held for a whole batch. A
 * generator for names is made per batch.
 *
 * <p>The node of time-based UUIDs is a random multicast address for each instance (RFC 9562 section 6.10). Two
 * processes on one host then make different UUIDs even at the same time, and no UUID reveals the host's hardware
 * address.
 */
final class UuidService {
    private final int maxUuids;
    private final NoArgGenerator random;
    private final NoArgGenerator time;
    private final NoArgGenerator reordered;
    private final NoArgGenerator epoch;

    UuidService(int maxUuids) {
        this(maxUuids, UUIDClock.systemTimeClock(), new SecureRandom());
    }

    UuidService(int maxUuids, UUIDClock clock, Random entropy) {
        if (maxUuids < 1) {
            throw new IllegalArgumentException("maxUuids must be at least 1: " + maxUuids);
        }
        this.maxUuids = maxUuids;
        EthernetAddress node = EthernetAddress.constructMulticastAddress(entropy);
        random = Generators.randomBasedGenerator(entropy);
        // A timer reads the clock under its lock, so that its time never goes back. Versions 1 and 6 have one each.
        time = Generators.timeBasedGenerator(node, timer(clock, entropy));
        reordered = Generators.timeBasedReorderedGenerator(node, timer(clock, entropy));
        epoch = Generators.timeBasedEpochGenerator(entropy, new MonotonicClock(clock));
    }

    private static UUIDTimer timer(UUIDClock clock, Random entropy) {
        try {
            return new UUIDTimer(entropy, null, clock);
        } catch (IOException e) {
            throw new UncheckedIOException("only a timer with a synchronizer reads files", e);
        }
    }

    /** An empty request with this service's limit. */
    UuidRequest newRequest() {
        return new UuidRequest(maxUuids);
    }

    /** Makes all UUIDs of a request, batch by batch. */
    List<UUID> generate(UuidRequest uuidRequest) {
        List<UUID> uuids = new ArrayList<>(uuidRequest.total());
        for (Batch batch : uuidRequest.batches()) {
            if (batch.method() == UuidMethod.NAME) {
                addNamed(uuids, batch);
            } else if (batch.method() == UuidMethod.EPOCH) {
                // The generator reads the clock before it takes its lock, so that it could go back in time without
                // ours.
                synchronized (epoch) {
                    addGenerated(uuids, epoch, batch.count());
                }
            } else {
                addGenerated(uuids, generator(batch.method()), batch.count());
            }
        }
        return uuids;
    }

    private static void addGenerated(List<UUID> uuids, NoArgGenerator generator, int count) {
        for (int i = 0; i < count; i++) {
            uuids.add(generator.generate());
        }
    }

    private static void addNamed(List<UUID> uuids, Batch batch) {
        // A name has one UUID, whatever the count. One digest per batch is cheap, and needs no lock.
        UUID uuid = Generators.nameBasedGenerator(
                        batch.namespace().uuid(), batch.digest().create())
                .generate(batch.name());
        for (int i = 0; i < batch.count(); i++) {
            uuids.add(uuid);
        }
    }

    private NoArgGenerator generator(UuidMethod method) {
        return switch (method) {
            case RANDOM -> random;
            case TIME -> time;
            case REORDERED -> reordered;
            case EPOCH, NAME -> throw new IllegalArgumentException(method + " has a way of its own");
        };
    }
}
