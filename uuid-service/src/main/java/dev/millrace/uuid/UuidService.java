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
 * Turns batches into UUIDs, and owns the limit of how many. Knows neither HTTP nor XML. Thread-safe: each generator
 * guards its own state, that of version 7 with its clock for a batch at a time, and those of names are made per batch.
 *
 * <p>The node of time-based UUIDs is a random multicast address, drawn anew for each instance (RFC 9562 section 6.10):
 * two processes on one host cannot collide, whatever their clocks do, and no answer tells the host's hardware address.
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
        // The timer of versions 1 and 6 never goes back, for it reads the clock under its lock. Each has its own.
        time = Generators.timeBasedGenerator(node, timer(clock, entropy));
        reordered = Generators.timeBasedReorderedGenerator(node, timer(clock, entropy));
        epoch = Generators.timeBasedEpochGenerator(entropy, new SteadyClock(clock));
    }

    private static UUIDTimer timer(UUIDClock clock, Random entropy) {
        try {
            return new UUIDTimer(entropy, null, clock);
        } catch (IOException e) {
            throw new UncheckedIOException("only a timer with a synchronizer reads files", e);
        }
    }

    /** An empty order that keeps to this service's limit. */
    Order newOrder() {
        return new Order(maxUuids);
    }

    /** Makes all UUIDs of an order, batch by batch. */
    List<UUID> generate(Order order) {
        List<UUID> uuids = new ArrayList<>(order.total());
        for (Batch batch : order.batches()) {
            if (batch.method() == UuidMethod.NAME) {
                addNamed(uuids, batch);
            } else if (batch.method() == UuidMethod.EPOCH) {
                // It reads the clock before it takes its lock: a time that another thread has overtaken would follow.
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
        // A name has one UUID, however often it is asked for: no digest is worth keeping, so none is locked.
        UUID uuid = Generators.nameBasedGenerator(batch.nameSpace().uuid(), batch.digest().create())
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
            case EPOCH -> epoch;
            case NAME -> throw new IllegalArgumentException("a name has a generator of its own");
        };
    }
}
