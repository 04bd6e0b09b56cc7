package dev.millrace.uuid;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** A process that prints that it is ready, waits for one byte, and then prints UUIDs of all kinds. */
final class UuidPrinter {
    private static final List<String> METHODS = List.of("time", "reordered", "epoch", "random");
    private static final int ROUNDS = 500;
    static final int UUIDS = METHODS.size() * ROUNDS * 100;

    private UuidPrinter() {}

    public static void main(String[] args) throws IOException, RefusedException {
        UuidService service = new UuidService(100);
        System.out.print("r\n");
        System.out.flush();
        System.in.read();
        List<UUID> uuids = new ArrayList<>(UUIDS);
        for (int round = 0; round < ROUNDS; round++) {
            for (String method : METHODS) {
                UuidRequest uuidRequest = service.newRequest();
                uuidRequest.add(Batch.parse(method, "100", null, null, null));
                uuids.addAll(service.generate(uuidRequest));
            }
        }
        BufferedWriter out = new BufferedWriter(new OutputStreamWriter(System.out, StandardCharsets.US_ASCII));
        for (UUID uuid : uuids) {
            out.write(uuid + "\n");
        }
        out.flush();
    }
}
