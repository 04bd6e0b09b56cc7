package dev.millrace.load.run;

import dev.millrace.load.http.Fault;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.zip.Deflater;
import org.HdrHistogram.Histogram;

/** Adds up what the clients of a cell have recorded, once all have ended. */
final class Summary {

    private final Cell cell;
    private final CellClock clock;
    private final List<Client> clients;
    private final List<Long> requestSeries;
    private final List<Long> byteSeries;

    Summary(Cell cell, CellClock clock, List<Client> clients, List<Long> requestSeries, List<Long> byteSeries) {
        this.cell = cell;
        this.clock = clock;
        this.clients = clients;
        this.requestSeries = requestSeries;
        this.byteSeries = byteSeries;
    }

    CellResult result(String label, int repetition, double seconds, CpuUse cpu, boolean stopped) {
        Recording sum = new Recording();
        clients.forEach(client -> client.recording().addTo(sum));
        Map<String, FaultCount> errors = clock.faults.byKind();
        return new CellResult(label, cell.parameters(), repetition, seconds, clock.requests.sum(), clock.bytes.sum(),
                clock.connections.sum(), clock.cutOff.sum(), errors, Percentiles.of(sum.latency),
                Percentiles.of(sum.headerByte), Percentiles.of(sum.firstByte), Percentiles.of(sum.connect), cpu, List.copyOf(requestSeries),
                List.copyOf(byteSeries), encode(sum.latency), cell.workload().countsBytes(), verdict(errors, stopped));
    }

    private String verdict(Map<String, FaultCount> errors, boolean stopped) {
        if (errors.containsKey(Fault.PORT_EXHAUSTION.label())) {
            return "invalid: ports";
        }
        if (!errors.isEmpty()) {
            return "errors";
        }
        if (stopped) {
            return "invalid: stopped early";
        }
        boolean nothing = cell.workload().countsBytes() ? clock.bytes.sum() == 0 : clock.requests.sum() == 0;
        return nothing ? "invalid: nothing completed" : "ok";
    }

    private static String encode(Histogram histogram) {
        ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        int length = histogram.encodeIntoCompressedByteBuffer(buffer, Deflater.BEST_COMPRESSION);
        return Base64.getEncoder().encodeToString(Arrays.copyOf(buffer.array(), length));
    }
}
