package dev.millrace.testing;

import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.RandomDistribution;
import net.jqwik.api.Tuple.Tuple2;

/** Sequences of steps for models. */
public final class Steps {
    private static final int NUMBERS = 120;

    private Steps() {}

    /**
     * What is done next.
     *
     * @param number chooses what it is done to; as likely to have any remainder by 2 to 6
     */
    public record Step<K>(K kind, int number) {}

    /**
     * @param most steps of a sequence
     * @param kinds how often each kind of step is to be among others
     * @return sequences of any length, as likely to be long as short
     */
    @SafeVarargs
    @SuppressWarnings("varargs")
    public static <K> Arbitrary<List<Step<K>>> sequences(int most, Tuple2<Integer, K>... kinds) {
        Arbitrary<Integer> numbers = Arbitraries.integers()
                .between(0, NUMBERS - 1)
                .withDistribution(RandomDistribution.uniform())
                .withoutEdgeCases();
        return Combinators.combine(Arbitraries.frequency(kinds), numbers)
                .as(Step::new)
                .list()
                .ofMaxSize(most)
                .withSizeDistribution(RandomDistribution.uniform());
    }
}
