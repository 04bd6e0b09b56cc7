package dev.millrace.conformance.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.ServerConnector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A planted fault is found among drawn inputs and made small; a server like the control has none. */
@Timeout(60)
class JudgeTest {
    private static final int INPUTS = 400;
    private static final int SAME_INPUTS = 40;

    @TempDir
    Path files;

    /** A connector that is like the control's but for requests of HTTP/1.0 that have content, which it answers with another field. */
    private static ServerConnector faulty(org.eclipse.jetty.server.Server server) {
        HttpConfiguration configuration = new HttpConfiguration();
        configuration.setHeaderCacheSize(0);
        configuration.addCustomizer((request, fields) -> {
            if (isPlanted(request)) {
                fields.put("Planted", "fault");
            }
            return request;
        });
        return new ServerConnector(server, 1, 1, new HttpConnectionFactory(configuration));
    }

    private static boolean isPlanted(Request request) {
        return request.getConnectionMetaData().getHttpVersion() == HttpVersion.HTTP_1_0 && request.getLength() != 0;
    }

    // A race of Jetty's that the judge does not know may differ as well, and is not what is looked for.
    private static Judge.Fault planted(Judge judge, Tested faulty, Input input) {
        Judge.Fault fault = judge.search(input, faulty, 1);
        return fault != null && fault.ours().answer().contains("\r\nPlanted: fault\r\n") ? fault : null;
    }

    @Test
    void findsAPlantedFaultAndMakesItSmall() throws Exception {
        SampleFiles.write(files);
        try (Tested control = new Tested(Tested.Kind.JETTY, files);
                Tested faulty = new Tested("faulty", JudgeTest::faulty, files);
                Client client = new Client()) {
            Judge judge = new Judge(client, control);
            Judge.Fault found = null;
            Generator generator = Generator.ofCorpus();
            for (long seed = 0; seed < INPUTS && found == null; seed++) {
                found = planted(judge, faulty, generator.input(seed));
            }
            assertNotNull(found);
            Input smallest = new Minimizer(input -> planted(judge, faulty, input) != null).minimize(found.input());
            assertTrue(smallest.bytes().length < 60, smallest::toString);
            assertEquals(List.of(), smallest.cuts());
            assertNotNull(planted(judge, faulty, smallest));
        }
    }

    @Test
    void findsNothingWhereThereIsNothing() throws Exception {
        SampleFiles.write(files);
        try (Tested control = new Tested(Tested.Kind.JETTY, files);
                Tested same = new Tested(Tested.Kind.JETTY, files);
                Client client = new Client()) {
            Judge judge = new Judge(client, control);
            Iterator<Input> inputs = Corpus.malformed().values().iterator();
            List<Judge.Fault> faults = new ArrayList<>();
            for (int i = 0; i < SAME_INPUTS; i++) {
                Judge.Fault fault = judge.search(inputs.next(), same, 1);
                if (fault != null) {
                    faults.add(fault);
                }
            }
            assertEquals(List.of(), faults);
        }
    }

    @Test
    void seesWhatIsMissingAndHowItEnds() throws Exception {
        SampleFiles.write(files);
        Input input =
                InputText.parse("GET /sendfile/large.bin HTTP/1.1\\r\\nHost: a\\r\\nConnection: close\\r\\n\\r\\n");
        try (Tested control = new Tested(Tested.Kind.JETTY, files);
                Client client = new Client()) {
            Judge judge = new Judge(client, control);
            Outcome good = client.hold(input, control);
            assertNull(judge.judge(input, control, good, good));
            Outcome shorter = new Outcome(good.answer().substring(0, 100_000), good.end());
            assertNotNull(judge.judge(input, control, shorter, good));
            Outcome reset = new Outcome(good.answer(), Outcome.End.RESET);
            assertNotNull(judge.judge(input, control, reset, good));
            char[] bytes = good.answer().toCharArray();
            bytes[140_000] = (char) (bytes[140_000] ^ 1);
            assertNotNull(judge.judge(input, control, new Outcome(new String(bytes), good.end()), good));
        }
    }

    // Jetty's parser knows "Connection: keep-alive", and has it so if the whole line is there. If it ends in the middle
    // of the value,
    // the value stays as it was sent.
    @Test
    void asksForWhatOneCutMakes() throws Exception {
        SampleFiles.write(files);
        Input input = InputText.parse(
                "GET / HTTP/1.1\\r\\nHost: a\\r\\nconne\\|ction: Keep-Aliv\\|e\\r\\nAcc\\|ept: b\\r\\n\\r\\n");
        Input.Cut inValue = input.rested().cuts().get(1);
        try (Tested control = new Tested(Tested.Kind.JETTY, files);
                Client client = new Client()) {
            Judge judge = new Judge(client, control);
            Outcome ours = client.hold(input.withCuts(List.of(inValue)), control);
            Outcome controls = client.hold(input.merged(), control);
            assertNotEquals(ours, controls);
            assertNotEquals(ours, client.hold(input.rested(), control));
            assertNull(judge.judge(input, control, ours, controls));
            Outcome wrong = new Outcome(ours.answer().replace("Keep", "keep"), ours.end());
            assertNotNull(judge.judge(input, control, wrong, controls));
        }
    }
}
