package dev.millrace.load.scenario;

import dev.millrace.load.http.Call;
import dev.millrace.load.http.Requests;
import dev.millrace.load.http.Target;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Requests for single ranges of files, drawn at random: in eight of ten both ends are named, in one the first alone, in
 * one a number of bytes from the end (RFC 9110 section 14.1.2). Immutable.
 */
public final class RangeWorkload implements Workload {

    private static final int READ_BUFFER_BYTES = 64 * 1024;
    private static final int KINDS = 10;

    private final Target base;
    private final String label;
    private final List<CatalogFile> files;
    private final boolean keepAlive;
    private final long mostBytes;
    private final List<String> headers;
    private final Truth truth;

    /**
     * Ranges of these files.
     *
     * @param base      the URL that the names are below
     * @param label     what the selection is called in reports
     * @param files     each as often as it stands here; empty ones, which have no range, are left out
     * @param keepAlive false for a connection per range
     * @param mostBytes bound on a range's length
     * @param headers   further request fields
     * @param truth     what the files hold
     */
    public RangeWorkload(Target base, String label, List<CatalogFile> files, boolean keepAlive, long mostBytes,
                         List<String> headers, Truth truth) {
        this.base = base;
        this.label = label;
        this.files = files.stream().filter(file -> file.size() > 0).toList();
        this.keepAlive = keepAlive;
        this.mostBytes = mostBytes;
        this.headers = List.copyOf(headers);
        this.truth = truth;
    }

    @Override
    public Target target() {
        return base;
    }

    @Override
    public boolean keepAlive() {
        return keepAlive;
    }

    @Override
    public Map<String, String> parameters() {
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("keepalive", keepAlive ? "on" : "off");
        parameters.put("file", label);
        parameters.put("range", mostBytes == Long.MAX_VALUE ? "any" : Long.toString(mostBytes));
        return parameters;
    }

    @Override
    public boolean countsBytes() {
        return true;
    }

    @Override
    public int readBufferBytes() {
        return READ_BUFFER_BYTES;
    }

    @Override
    public Script script(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        RangeCheck check = new RangeCheck(truth);
        return () -> draw(random, check);
    }

    private Call draw(SplittableRandom random, RangeCheck check) {
        CatalogFile file = files.get(random.nextInt(files.size()));
        long length = random.nextLong(1, Math.min(mostBytes, file.size()) + 1);
        int kind = random.nextInt(KINDS);
        long first = kind < 2 ? file.size() - length : random.nextLong(file.size() - length + 1);
        long last = first + length - 1;
        String range = kind == 0 ? "bytes=-" + length : kind == 1 ? "bytes=" + first + "-"
                : "bytes=" + first + "-" + last;
        check.expect(file, first, last);
        List<String> fields = new ArrayList<>(headers);
        fields.add("Range: " + range);
        return new Call(Requests.of("GET", base.resolve(DownloadWorkload.encoded(file.name())), keepAlive, fields,
                null), check);
    }
}
