package dev.millrace.conformance.fuzz;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;

/** Draws inputs. The same seed gives the same input, as long as the corpus is the same. Immutable. */
final class Generator {
    private final List<Input> corpus;

    private Generator(List<Input> corpus) {
        this.corpus = List.copyOf(corpus);
    }

    /** Draws from all of the corpus. */
    static Generator ofCorpus() throws IOException {
        List<Input> corpus = new ArrayList<>(Corpus.malformed().values());
        corpus.addAll(Corpus.found().values());
        return new Generator(corpus);
    }

    Input input(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        byte[] bytes = switch (random.nextInt(16)) {
            case 0 -> corpus.get(random.nextInt(corpus.size())).bytes();
            case 1 -> new WebSocketGrammar(random).conversation();
            default -> new Grammar(random).requests();
        };
        if (random.nextInt(3) == 0) {
            byte[] other = random.nextInt(4) == 0
                    ? corpus.get(random.nextInt(corpus.size())).bytes()
                    : new Grammar(random).requests();
            bytes = new Mutations(random).mutate(bytes, other);
        }
        return new Input(bytes, cuts(random, bytes), random.nextInt(4) == 0);
    }

    private static List<Input.Cut> cuts(SplittableRandom random, byte[] bytes) {
        List<Input.Cut> cuts = new ArrayList<>();
        if (bytes.length < 2 || random.nextInt(4) == 0) {
            return cuts;
        }
        TreeSet<Integer> positions = new TreeSet<>();
        int count = 1 + random.nextInt(random.nextInt(8) == 0 ? 30 : 5);
        for (int i = 0; i < count; i++) {
            positions.add(position(random, bytes));
        }
        int rests = random.nextInt(3);
        for (int position : positions) {
            cuts.add(new Input.Cut(position, rests == 0 || (rests == 1 && random.nextBoolean())));
        }
        return cuts;
    }

    // Half of the cuts are beside a line's end, where parsers change their state.
    private static int position(SplittableRandom random, byte[] bytes) {
        int position = random.nextInt(1, bytes.length);
        if (random.nextBoolean()) {
            for (int i = position; i < bytes.length; i++) {
                if (bytes[i] == '\n') {
                    return Math.max(1, Math.min(bytes.length - 1, i + random.nextInt(-2, 2)));
                }
            }
        }
        return position;
    }
}
