package dev.millrace.load.scenario;

import dev.millrace.load.http.Call;
import dev.millrace.load.http.Request;
import dev.millrace.load.http.Target;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Requests to any server. With several, each client deals them from a deck shuffled anew for each round, so that their
 * proportions are exact. It begins at a random place of the first round. Immutable.
 */
public final class HttpWorkload implements Workload {

    private static final int READ_BUFFER_BYTES = 16 * 1024;

    private final Target target;
    private final String method;
    private final String label;
    private final boolean keepAlive;
    private final List<Request> deck;
    private final Expectations expected;

    /**
     * Makes the requests that all clients send.
     *
     * @param target    the server
     * @param method    the method in reports
     * @param label     the name of the URLs in reports
     * @param keepAlive false for a connection per request
     * @param deck      the requests, each repeated by its weight
     * @param expected  what their answers must be
     */
    public HttpWorkload(
            Target target, String method, String label, boolean keepAlive, List<Request> deck, Expectations expected) {
        this.target = target;
        this.method = method;
        this.label = label;
        this.keepAlive = keepAlive;
        this.deck = List.copyOf(deck);
        this.expected = expected;
    }

    @Override
    public Target target() {
        return target;
    }

    @Override
    public boolean keepAlive() {
        return keepAlive;
    }

    @Override
    public Map<String, String> parameters() {
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("method", method);
        parameters.put("keepalive", keepAlive ? "on" : "off");
        parameters.put("url", label);
        return parameters;
    }

    @Override
    public int readBufferBytes() {
        return READ_BUFFER_BYTES;
    }

    @Override
    public Script script(long seed) {
        AnswerCheck check = new AnswerCheck(expected);
        List<Call> calls = new ArrayList<>();
        // A request of a large weight needs one call, and not one for each place in the deck of each client.
        Map<Request, Call> known = new HashMap<>();
        deck.forEach(request -> calls.add(known.computeIfAbsent(request, one -> new Call(one, check))));
        if (calls.size() == 1) {
            Call only = calls.get(0);
            return () -> only;
        }
        return new Round(calls, new Random(seed));
    }

    /** One client's order of the requests. */
    private static final class Round implements Script {

        private final List<Call> calls;
        private final Random random;
        private int next;

        Round(List<Call> calls, Random random) {
            this.calls = calls;
            this.random = random;
            Collections.shuffle(calls, random);
            this.next = random.nextInt(calls.size());
        }

        @Override
        public Call next() {
            if (next == calls.size()) {
                Collections.shuffle(calls, random);
                next = 0;
            }
            return calls.get(next++);
        }
    }
}
