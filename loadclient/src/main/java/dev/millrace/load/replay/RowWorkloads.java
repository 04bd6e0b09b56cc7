package dev.millrace.load.replay;

import dev.millrace.load.experiment.Row;
import dev.millrace.load.http.Target;
import dev.millrace.load.scenario.DownloadWorkload;
import dev.millrace.load.scenario.FixedWorkload;
import dev.millrace.load.scenario.UuidWorkload;
import dev.millrace.load.scenario.Verify;
import dev.millrace.load.scenario.Workload;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Makes the workload of a row. Stateless. */
final class RowWorkloads {

    /** Least size of a message whose throughput is measured in bytes instead of requests. */
    private static final int LEAST_LARGE_MESSAGE = 64 * 1024;

    private static final String HELLO = "Hello, World!";
    private static final String PIPELINE = "pipeline=";
    private static final int LETTERS = 26;

    private RowWorkloads() {}

    /**
     * The work of a row on one server.
     *
     * @throws IllegalArgumentException if the row names an unknown kind of work
     */
    static Workload of(Row row, Target base, ReplayFiles files) throws IOException {
        List<String> words = List.of(row.work().split(" "));
        return switch (words.get(0)) {
            case "uuid" -> uuid(words, base);
            case "files" ->
                new DownloadWorkload(
                        base.resolve("/files/"),
                        "mix",
                        files.catalog().files(),
                        true,
                        Verify.AUTO,
                        DownloadWorkload.SAMPLE_EVERY,
                        List.of());
            case "file" ->
                new FixedWorkload(
                        base.resolve("/files/" + words.get(1)), files.content(words.get(1)), pipeline(words), false);
            case "message" -> message(Integer.parseInt(words.get(1)), base);
            case "hello" ->
                new FixedWorkload(base.resolve("/hello"), HELLO.getBytes(StandardCharsets.US_ASCII), 1, false);
            default -> throw new IllegalArgumentException("no such work: " + row.work());
        };
    }

    private static Workload uuid(List<String> words, Target base) {
        boolean keepAlive = !words.contains("close");
        return new UuidWorkload(
                base.resolve("/generate-uuid"),
                new UuidWorkload.Settings(
                        words.get(1),
                        keepAlive,
                        words.get(2),
                        Integer.parseInt(words.get(3)),
                        null,
                        List.of(),
                        UuidWorkload.Check.FULL));
    }

    private static int pipeline(List<String> words) {
        return words.stream()
                .filter(word -> word.startsWith(PIPELINE))
                .mapToInt(word -> Integer.parseInt(word.substring(PIPELINE.length())))
                .findFirst()
                .orElse(1);
    }

    private static Workload message(int size, Target base) {
        byte[] content = new byte[size];
        for (int i = 0; i < Math.min(size, LETTERS); i++) {
            content[i] = (byte) ('a' + i);
        }
        for (int known = LETTERS; known < size; known *= 2) {
            System.arraycopy(content, 0, content, known, Math.min(known, size - known));
        }
        return new FixedWorkload(base.resolve("/message?bytes=" + size), content, 1, size >= LEAST_LARGE_MESSAGE);
    }
}
