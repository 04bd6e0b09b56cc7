package dev.millrace.uuid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
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
        assertEquals(
                List.of(UUID.fromString("5df41881-3aed-3515-88a7-2f4a814cf09e")),
                generate("name", "1", "www.example.com", "dns", "md5"));
        assertEquals(
                List.of(UUID.fromString("2ed6657d-e927-568b-95e1-2665a8aea6a2")),
                generate("name", "1", "www.example.com", "dns", "sha-1"));
    }

    @Test
    void aNameHasOneUuidInEachNamespace() throws RefusedException {
        HashSet<UUID> all = new HashSet<>();
        for (String namespace : List.of("none", "dns", "url", "oid", "x500")) {
            List<UUID> uuids = generate("name", "3", "n\u00e4me", namespace, null);
            assertEquals(1, new HashSet<>(uuids).size());
            all.addAll(uuids);
        }
        assertEquals(5, all.size());
        assertEquals(generate("name", "1", "x", null, null), generate("name", "1", "x", "none", "sha1"));
    }

    @Test
    void withoutNamespaceMd5IsWhatTheJdkMakes() throws RefusedException {
        assertEquals(
                UUID.nameUUIDFromBytes("x".getBytes(StandardCharsets.UTF_8)),
                generate("name", "1", "x", null, "md5").get(0));
    }

    @Test
    void theNodeIsRandomAndNeverAHardwareAddress() throws RefusedException {
        UUID one = generate("time", "1", null, null, null).get(0);
        assertEquals(1, one.node() >> 40 & 1, "multicast bit, RFC 9562 section 6.10");
        UuidRequest uuidRequest = new UuidService(1).newRequest();
        uuidRequest.add(Batch.parse("time", null, null, null, null));
        assertNotEquals(
                one.node(), new UuidService(1).generate(uuidRequest).get(0).node());
    }

    @Test
    void batchesComeInTheirOrder() throws RefusedException {
        UuidRequest uuidRequest = service.newRequest();
        uuidRequest.add(Batch.parse("random", "2", null, null, null));
        uuidRequest.add(Batch.parse("time", "1", null, null, null));
        uuidRequest.add(Batch.parse("name", "3", "n", null, null));
        assertEquals(
                List.of(4, 4, 1, 5, 5, 5),
                service.generate(uuidRequest).stream().map(UUID::version).toList());
    }

    @Test
    void theLimitHoldsForAllBatchesTogether() throws RefusedException {
        UuidRequest uuidRequest = service.newRequest();
        uuidRequest.add(Batch.parse(null, "60", null, null, null));
        uuidRequest.add(Batch.parse(null, "40", null, null, null));
        for (String count : List.of("1", "999999999")) {
            RefusedException e = assertThrows(
                    RefusedException.class, () -> uuidRequest.add(Batch.parse(null, count, null, null, null)));
            assertEquals(RefusalReason.TOO_MANY_UUIDS, e.refusal().reason());
        }
        assertEquals(100, service.generate(uuidRequest).size());
        assertThrows(IllegalArgumentException.class, () -> new UuidService(0));
    }

    private List<UUID> generate(String method, String count, String name, String namespace, String digest)
            throws RefusedException {
        UuidRequest uuidRequest = service.newRequest();
        uuidRequest.add(Batch.parse(method, count, name, namespace, digest));
        return service.generate(uuidRequest);
    }
}
