package dev.millrace.uuid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.HashSet;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UuidServiceTest {
    private final UuidService service = new UuidService(100);

    @ParameterizedTest
    @CsvSource({"random, 4", "time, 1", "location, 1", "reordered, 6", "epoch, 7", "name, 5"})
    void versions(String method, int version) throws RefusedException {
        for (UUID uuid : generate(method, "10", "a name", null, null)) {
            assertEquals(version, uuid.version());
            assertEquals(2, uuid.variant());
        }
    }

    @Test
    void uuidsDiffer() throws RefusedException {
        for (String method : List.of("random", "time", "reordered", "epoch")) {
            assertEquals(100, new HashSet<>(generate(method, "100", null, null, null)).size(), method);
        }
    }

    /** The examples of RFC 9562 appendix A.2 and A.4. */
    @Test
    void namesOfTheRfc() throws RefusedException {
        assertEquals(List.of(UUID.fromString("5df41881-3aed-3515-88a7-2f4a814cf09e")),
            generate("name", "1", "www.example.com", "dns", "md5"));
        assertEquals(List.of(UUID.fromString("2ed6657d-e927-568b-95e1-2665a8aea6a2")),
            generate("name", "1", "www.example.com", "dns", "sha-1"));
    }

    @Test
    void aNameHasOneUuidInEachNameSpace() throws RefusedException {
        HashSet<UUID> all = new HashSet<>();
        for (String nameSpace : List.of("none", "dns", "url", "oid", "x500")) {
            List<UUID> uuids = generate("name", "3", "n\u00e4me", nameSpace, null);
            assertEquals(1, new HashSet<>(uuids).size());
            all.addAll(uuids);
        }
        assertEquals(5, all.size());
        assertEquals(generate("name", "1", "x", null, null), generate("name", "1", "x", "none", "sha1"));
    }

    @Test
    void withoutNameSpaceMd5IsWhatTheJdkMakes() throws RefusedException {
        assertEquals(UUID.nameUUIDFromBytes("x".getBytes()), generate("name", "1", "x", null, "md5").get(0));
    }

    @Test
    void theNodeIsRandomAndNeverAHardwareAddress() throws RefusedException {
        UUID one = generate("time", "1", null, null, null).get(0);
        assertEquals(1, one.node() >> 40 & 1, "multicast bit, RFC 9562 section 6.10");
        Order order = new UuidService(1).newOrder();
        order.add(Batch.parse("time", null, null, null, null));
        assertNotEquals(one.node(), new UuidService(1).generate(order).get(0).node());
    }

    @Test
    void batchesComeInTheirOrder() throws RefusedException {
        Order order = service.newOrder();
        order.add(Batch.parse("random", "2", null, null, null));
        order.add(Batch.parse("time", "1", null, null, null));
        order.add(Batch.parse("name", "3", "n", null, null));
        assertEquals(List.of(4, 4, 1, 5, 5, 5), service.generate(order).stream().map(UUID::version).toList());
    }

    @Test
    void theLimitHoldsForAllBatchesTogether() throws RefusedException {
        Order order = service.newOrder();
        order.add(Batch.parse(null, "60", null, null, null));
        order.add(Batch.parse(null, "40", null, null, null));
        for (String count : List.of("1", "999999999")) {
            RefusedException e = assertThrows(RefusedException.class,
                () -> order.add(Batch.parse(null, count, null, null, null)));
            assertEquals(Fault.TOO_MANY_UUIDS, e.refusal().fault());
        }
        assertEquals(100, service.generate(order).size());
        assertThrows(IllegalArgumentException.class, () -> new UuidService(0));
    }

    private List<UUID> generate(String method, String count, String name, String nameSpace, String digest)
            throws RefusedException {
        Order order = service.newOrder();
        order.add(Batch.parse(method, count, name, nameSpace, digest));
        return service.generate(order);
    }
}
