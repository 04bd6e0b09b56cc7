package dev.millrace.load.scenario;

import dev.millrace.load.http.Request;
import dev.millrace.load.http.Target;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The common part of workloads that request files of a catalogue. Immutable. */
abstract class FileWorkload implements Workload {

    private static final int READ_BUFFER_BYTES = 64 * 1024;

    private final Target base;
    private final String label;
    private final boolean keepAlive;

    /**
     * @param base      URL that the files' names are relative to
     * @param label     name of the selection in reports
     * @param keepAlive false for a connection per request
     */
    FileWorkload(Target base, String label, boolean keepAlive) {
        this.base = base;
        this.label = label;
        this.keepAlive = keepAlive;
    }

    @Override
    public final Target target() {
        return base;
    }

    @Override
    public final boolean keepAlive() {
        return keepAlive;
    }

    @Override
    public Map<String, String> parameters() {
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("keepalive", keepAlive ? "on" : "off");
        parameters.put("file", label);
        return parameters;
    }

    @Override
    public final boolean countsBytes() {
        return true;
    }

    @Override
    public final int readBufferBytes() {
        return READ_BUFFER_BYTES;
    }

    final Request get(CatalogFile file, List<String> headers) {
        return new Request("GET", base.resolve(encoded(file.name())), keepAlive, headers, null);
    }

    static String encoded(String name) {
        try {
            // Without "./", a colon in the first segment would end a scheme (RFC 3986 section 4.2).
            return new URI(null, null, "./" + name, null).toASCIIString();
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException("no file name for a URL: " + name, e);
        }
    }
}
