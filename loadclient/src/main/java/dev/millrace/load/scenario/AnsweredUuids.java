package dev.millrace.load.scenario;

import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The UUIDs of one answer. None may be nil (RFC 9562 section 5.9), come twice, or have a version that the method cannot
 * give. They are compared by a hash table, which is used again, so that an answer costs no object. Used by one thread.
 */
final class AnsweredUuids {

    private static final int VERSION_SHIFT = 12;
    private static final int VERSION_MASK = 0xf;
    /** The version is defined where the two highest bits of the lower half are 1 and 0 (RFC 9562 section 4.1). */
    private static final int VARIANT_SHIFT = 62;

    private static final int VARIANT = 2;
    /** 2^64 over the golden ratio: multiplication by it spreads numbers that follow each other. */
    private static final long GOLDEN = 0x9e37_79b9_7f4a_7c15L;
    /** As many UUIDs of an answer are compared. Each client has a table, which takes up to 32 KiB. */
    private static final int MOST_COMPARED = 1024;

    /** Bit n for version n; 0 if any may come. */
    private final int versions;
    /** How many UUIDs of an answer must differ; 0 if equal ones are right. */
    private final int compared;
    /** The UUIDs by their hash: the upper half of each, then the lower one. Where both are 0, the place is free. */
    private final long[] table;
    /** By how many bits a hash is shifted to be the number of a place. */
    private final int shift;

    private int seen;
    private int nil;
    private int repeated;
    private int otherVersion;

    /**
     * The UUIDs of answers to one kind of request.
     *
     * @param expected number of UUIDs in an answer
     * @param method   the UUID service's name of how they are made; null if it is not known
     */
    AnsweredUuids(int expected, @Nullable String method) {
        String known = method == null ? "" : method.toUpperCase(Locale.ROOT);
        this.versions = versions(known);
        // The same name gives the same UUID, and a method of another service may do so too.
        this.compared = versions == 0 || known.equals("NAME") ? 0 : Math.min(expected, MOST_COMPARED);
        // At least half of the places stay free.
        int bits = 1 + Integer.SIZE - Integer.numberOfLeadingZeros(Math.max(0, compared - 1));
        this.shift = Long.SIZE - bits;
        this.table = new long[2 << bits];
    }

    private static int versions(String method) {
        return switch (method) {
            case "RANDOM" -> 1 << 4;
            case "TIME", "LOCATION" -> 1 << 1;
            case "NAME" -> (1 << 3) | (1 << 5);
            case "REORDERED" -> 1 << 6;
            case "EPOCH" -> 1 << 7;
            default -> 0;
        };
    }

    /** Forgets the answer before. */
    void clear() {
        seen = 0;
        nil = 0;
        repeated = 0;
        otherVersion = 0;
        Arrays.fill(table, 0);
    }

    /** Takes the next UUID of the answer, by its two halves. */
    void add(long high, long low) {
        if ((high | low) == 0) {
            nil++;
            return;
        }
        int version = low >>> VARIANT_SHIFT == VARIANT ? (int) (high >>> VERSION_SHIFT) & VERSION_MASK : 0;
        if (versions != 0 && (versions & (1 << version)) == 0) {
            otherVersion++;
        }
        if (seen++ < compared && !isNew(high, low)) {
            repeated++;
        }
    }

    private boolean isNew(long high, long low) {
        int place = 2 * (int) ((((high * GOLDEN) ^ low) * GOLDEN) >>> shift);
        while ((table[place] | table[place + 1]) != 0) {
            if (table[place] == high && table[place + 1] == low) {
                return false;
            }
            place = (place + 2) & (table.length - 1);
        }
        table[place] = high;
        table[place + 1] = low;
        return true;
    }

    /** What is wrong with the UUIDs so far, for people; null if nothing is. */
    @Nullable String fault() {
        if (nil > 0) {
            return nil + " UUIDs nil";
        }
        if (repeated > 0) {
            return repeated + " UUIDs repeated";
        }
        return otherVersion > 0 ? otherVersion + " UUIDs of another version than asked for" : null;
    }
}
