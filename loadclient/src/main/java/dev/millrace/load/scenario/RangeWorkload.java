package dev.millrace.load.scenario;

import dev.millrace.load.http.Call;
import dev.millrace.load.http.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Requests for single ranges of files, drawn at random: in eight of ten both ends are named, in one the first alone, in
 * one a number of bytes from the end (RFC 9110 section 14.1.2). Immutable.
 */
public final class RangeWorkload extends FileWorkload {

    private static final int KINDS = 10;

    private final List<CatalogFile> files;
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
        super(base, label, keepAlive);
        this.files = files.stream().filter(file -> file.size() > 0).toList();
        this.mostBytes = mostBytes;
        this.headers = List.copyOf(headers);
        this.truth = truth;
    }

    @Override
    public Map<String, String> parameters() {
        Map<String, String> parameters = super.parameters();
        parameters.put("range", mostBytes == Long.MAX_VALUE ? "any" : Long.toString(mostBytes));
        return parameters;
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
        return new Call(get(file, fields), check);
    }
}
