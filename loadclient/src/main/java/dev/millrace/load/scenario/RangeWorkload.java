package dev.millrace.load.scenario;

import dev.millrace.load.http.Call;
import dev.millrace.load.http.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Requests for random single ranges of files (RFC 9110 section 14.1.2). Eight of ten name both ends, one names the
 * first byte, and one the number of last bytes. Immutable.
 */
public final class RangeWorkload extends FileWorkload {

    private static final int KINDS = 10;

    private final List<CatalogFile> files;
    private final long mostBytes;
    private final List<String> headers;
    private final ReferenceFiles reference;

    /**
     * Ranges of these files.
     *
     * @param base      URL that the files' names are relative to
     * @param label     name of the selection in reports
     * @param files     the files, repeated by their weights; empty files have no range and are left out
     * @param keepAlive false for a connection per range
     * @param mostBytes bound on a range's length
     * @param headers   further request fields
     * @param reference content of the files
     */
    public RangeWorkload(
            Target base,
            String label,
            List<CatalogFile> files,
            boolean keepAlive,
            long mostBytes,
            List<String> headers,
            ReferenceFiles reference) {
        super(base, label, keepAlive);
        this.files = files.stream().filter(file -> file.size() > 0).toList();
        this.mostBytes = mostBytes;
        this.headers = List.copyOf(headers);
        this.reference = reference;
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
        RangeCheck check = new RangeCheck(reference);
        return () -> draw(random, check);
    }

    /** Draws a file and a range of it. */
    private Call draw(SplittableRandom random, RangeCheck check) {
        CatalogFile file = files.get(random.nextInt(files.size()));
        long length = random.nextLong(1, Math.min(mostBytes, file.size()) + 1);
        int kind = random.nextInt(KINDS);
        long first = kind < 2 ? file.size() - length : random.nextLong(file.size() - length + 1);
        long last = first + length - 1;
        String range =
                kind == 0 ? "bytes=-" + length : kind == 1 ? "bytes=" + first + "-" : "bytes=" + first + "-" + last;
        check.expect(file, first, last);
        List<String> fields = new ArrayList<>(headers);
        fields.add("Range: " + range);
        return new Call(get(file, fields), check);
    }
}
