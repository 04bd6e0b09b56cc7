package dev.millrace.load.scenario;

import dev.millrace.load.http.Call;
import dev.millrace.load.http.Request;
import dev.millrace.load.http.Target;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Downloads of files of a catalogue. Each client deals them from a shuffled deck, so that the mix is exact after each
 * round. It begins at a random place of its first deck. Otherwise all clients would reach the end of a deck, and its
 * large files, at the same time. Immutable.
 */
public final class DownloadWorkload extends FileWorkload {

    /** By default, one body in this many is checked by MD5. */
    public static final int SAMPLE_EVERY = 20;

    private final List<CatalogFile> deck;
    private final Verify verify;
    private final int sample;
    private final Request[] requests;

    /**
     * Makes a request for each file.
     *
     * @param base      URL that the files' names are relative to
     * @param label     name of the selection in reports
     * @param deck      the files; a file that is listed twice is downloaded twice as often
     * @param keepAlive false for a connection per download
     * @param verify    the checks of bodies
     * @param sample    under {@link Verify#AUTO}, one body in this many is checked by MD5
     * @param headers   further request fields
     */
    public DownloadWorkload(
            Target base,
            String label,
            List<CatalogFile> deck,
            boolean keepAlive,
            Verify verify,
            int sample,
            List<String> headers) {
        super(base, label, keepAlive);
        this.deck = List.copyOf(deck);
        this.verify = verify;
        this.sample = sample;
        this.requests = new Request[deck.size()];
        for (int i = 0; i < requests.length; i++) {
            requests[i] = get(deck.get(i), headers);
        }
    }

    @Override
    public Script script(long seed) {
        return new Deck(seed);
    }

    /** One client's order of the files. */
    private final class Deck implements Script {

        private final DownloadCheck check = new DownloadCheck(verify, sample);
        private final SplittableRandom random;
        private final int[] order = new int[requests.length];
        private int next;

        Deck(long seed) {
            random = new SplittableRandom(seed);
            for (int i = 0; i < order.length; i++) {
                order[i] = i;
            }
            shuffle();
            next = random.nextInt(order.length);
        }

        @Override
        public Call next() {
            if (next == order.length) {
                shuffle();
            }
            int index = order[next++];
            check.expect(deck.get(index));
            return new Call(requests[index], check);
        }

        private void shuffle() {
            for (int i = order.length - 1; i > 0; i--) {
                int other = random.nextInt(i + 1);
                int kept = order[i];
                order[i] = order[other];
                order[other] = kept;
            }
            next = 0;
        }
    }
}
