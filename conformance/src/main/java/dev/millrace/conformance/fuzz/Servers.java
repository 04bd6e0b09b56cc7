package dev.millrace.conformance.fuzz;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** The control and the servers that are compared with it, over the same files, which this object owns. */
final class Servers implements AutoCloseable {
    private final Path files = Files.createTempDirectory("millrace-fuzz");
    private final Tested control;
    private final List<Tested> ours = new ArrayList<>();

    /** Starts Jetty's own connector and those of the given kinds. */
    Servers(List<Tested.Kind> kinds) throws Exception {
        SampleFiles.write(files);
        control = new Tested(Tested.Kind.JETTY, files);
        for (Tested.Kind kind : kinds) {
            ours.add(new Tested(kind, files));
        }
    }

    Tested control() {
        return control;
    }

    List<Tested> ours() {
        return ours;
    }

    @Override
    public void close() throws Exception {
        control.close();
        for (Tested one : ours) {
            one.close();
        }
        try (Stream<Path> all = Files.walk(files)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                delete(path);
            }
        }
    }

    private static void delete(Path path) throws IOException {
        Files.deleteIfExists(path);
    }
}
