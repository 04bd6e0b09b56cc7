package dev.millrace.conformance.fuzz;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpParser;
import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.util.BufferUtil;

/** Finds the requests of an input by Jetty's parser, up to the first that is malformed or ends early. */
final class SentRequests implements HttpParser.RequestHandler {
    private final List<Sent> requests = new ArrayList<>();
    private Sent current;
    private boolean inContent;

    /**
     * A request whose head is whole.
     *
     * @param contentFails whether its content is malformed, or ends early
     */
    record Sent(String method, String target, boolean contentFails) {
        /** Whether {@link Application} answers it in this manner. */
        boolean isOf(String manner) {
            try {
                String path = HttpURI.from(method, target).getCanonicalPath();
                return path != null && Application.mannerOf(path).equals(manner);
            } catch (IllegalArgumentException malformed) {
                // Jetty refuses such a target.
                return false;
            }
        }
    }

    private SentRequests() {}

    static List<Sent> of(Input input) {
        SentRequests handler = new SentRequests();
        HttpParser parser = new HttpParser(handler);
        ByteBuffer bytes = ByteBuffer.wrap(input.bytes());
        while (bytes.hasRemaining() && !parser.isTerminated()) {
            parser.parseNext(bytes);
            if (parser.isComplete()) {
                parser.reset();
            }
        }
        parser.atEOF();
        parser.parseNext(BufferUtil.EMPTY_BUFFER);
        return handler.requests;
    }

    @Override
    public void startRequest(String method, String target, HttpVersion version) {
        current = new Sent(method, target, false);
    }

    @Override
    public void parsedHeader(HttpField field) {}

    @Override
    public boolean headerComplete() {
        requests.add(current);
        inContent = true;
        return false;
    }

    @Override
    public boolean content(ByteBuffer content) {
        content.position(content.limit());
        return false;
    }

    @Override
    public boolean contentComplete() {
        return false;
    }

    @Override
    public boolean messageComplete() {
        inContent = false;
        return true;
    }

    @Override
    public void badMessage(HttpException failure) {
        failContent();
    }

    @Override
    public void earlyEOF() {
        failContent();
    }

    private void failContent() {
        if (inContent) {
            inContent = false;
            requests.set(requests.size() - 1, new Sent(current.method, current.target, true));
        }
    }
}
