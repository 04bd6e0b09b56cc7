package dev.millrace.conformance.fuzz;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A seed gives its input again, a line of text too, and all of the grammar occurs. */
class GeneratorTest {
    private static final int INPUTS = 2000;
    private static final String DRAWN = drawn();

    private static String drawn() {
        try {
            Generator generator = Generator.ofCorpus();
            return LongStream.range(0, INPUTS)
                    .mapToObj(seed -> new String(generator.input(seed).bytes(), StandardCharsets.ISO_8859_1))
                    .collect(Collectors.joining());
        } catch (IOException x) {
            throw new UncheckedIOException(x);
        }
    }

    @Test
    void aSeedGivesTheSameInput() throws Exception {
        Generator one = Generator.ofCorpus();
        Generator other = Generator.ofCorpus();
        Set<String> all = new HashSet<>();
        for (long seed = 0; seed < INPUTS; seed++) {
            String text = InputText.format(one.input(seed));
            assertEquals(text, InputText.format(other.input(seed)));
            all.add(text);
        }
        assertTrue(all.size() > INPUTS * 9 / 10, "different: " + all.size());
    }

    @Test
    void aLineOfTextGivesTheSameInput() throws Exception {
        Generator generator = Generator.ofCorpus();
        for (long seed = 0; seed < INPUTS; seed++) {
            Input input = generator.input(seed);
            Input again = InputText.parse(InputText.format(input));
            assertArrayEquals(input.bytes(), again.bytes());
            assertEquals(input.cuts(), again.cuts());
            assertEquals(input.endsAtOnce(), again.endsAtOnce());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET http://",
                "CONNECT ",
                "OPTIONS * ",
                "HEAD ",
                " HTTP/1.0\r\n",
                "Transfer-Encoding: chunked\r\n",
                "\r\n0;a=b\r\n",
                "\r\nLast: word\r\n",
                "Expect: 100-continue\r\n",
                "Upgrade: websocket\r\n",
                "Upgrade: h2c\r\n",
                "Range: bytes=-5\r\n",
                "If-None-Match: *\r\n",
                "X-Fold: a\r\n b\r\n",
                "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
                "\0",
                "PRI * HTTP/2.0"
            })
    void drawsAllOfTheGrammar(String part) {
        assertTrue(DRAWN.contains(part));
    }

    @Test
    void cutsLieInsideAndAscend() throws Exception {
        Generator generator = Generator.ofCorpus();
        int rests = 0;
        int atOnce = 0;
        for (long seed = 0; seed < INPUTS; seed++) {
            Input input = generator.input(seed);
            int last = 0;
            for (Input.Cut cut : input.cuts()) {
                assertTrue(
                        cut.position() > last && cut.position() < input.bytes().length, () -> InputText.format(input));
                last = cut.position();
                rests += cut.atRest() ? 1 : 0;
                atOnce += cut.atRest() ? 0 : 1;
            }
        }
        assertTrue(rests > INPUTS / 4 && atOnce > INPUTS / 4, rests + " and " + atOnce);
    }
}
