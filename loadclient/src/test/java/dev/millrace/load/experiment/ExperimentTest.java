package dev.millrace.load.experiment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The data of experiments is complete, and the published figures equal a second copy of them in this test. */
class ExperimentTest {

    @ParameterizedTest
    @ValueSource(strings = {"cowtown", "minar", "mina", "undertow", "bhargava"})
    void everyNameIsDefined(String name) throws IOException {
        Experiment full = Experiment.of(name).expanded(false, Map.of());
        Set<String> ids = full.rows().stream().map(Row::id).collect(Collectors.toSet());
        assertEquals(full.rows().size(), ids.size(), "two rows with the same id");
        for (Row row : full.rows()) {
            assertTrue(full.servers().containsKey(row.server()), row.id());
            assertTrue(row.base() == null || ids.contains(row.base()), row.id());
            if (row.work().startsWith("file ")) {
                assertTrue(full.files().containsKey(row.work().split(" ")[1]), row.id());
            }
        }
        for (Claim claim : full.claims()) {
            for (Claim.Compared compared : claim.compare()) {
                assertTrue(ids.contains(compared.a()), claim.text());
                assertTrue(compared.b() == null ? compared.than() != null : ids.contains(compared.b()), claim.text());
                assertTrue(compared.low() != null || compared.high() != null, claim.text());
            }
        }
        Set<String> used = full.rows().stream().map(Row::server).collect(Collectors.toSet());
        assertEquals(full.servers().keySet(), used, "a server without a row");
        assertTrue(
                full.servers().containsKey("BIO-virtual")
                        && full.servers().keySet().stream().anyMatch(server -> server.startsWith("STOCK")),
                "what did not exist then");
    }

    @ParameterizedTest
    @ValueSource(strings = {"cowtown", "minar", "mina", "undertow", "bhargava"})
    void theQuickFormStillDecidesMostClaims(String name) throws IOException {
        Experiment quick = Experiment.of(name).expanded(true, Map.of());
        Set<String> ids = quick.rows().stream().map(Row::id).collect(Collectors.toSet());
        long decided = quick.claims().stream()
                .filter(claim -> claim.compare().stream()
                        .allMatch(one -> ids.contains(one.a()) && (one.b() == null || ids.contains(one.b()))))
                .count();
        assertTrue(
                decided * 2 >= quick.claims().size(),
                decided + " of " + quick.claims().size());
    }

    @ParameterizedTest
    @ValueSource(strings = {"cowtown", "mina", "undertow", "bhargava"})
    void theFullFormHasIndependentStarts(String name) throws IOException {
        Lengths full = Experiment.of(name).full();
        assertEquals(5, full.starts());
        assertTrue(full.repeats() * full.window() >= 1, "seconds that each start measures of a cell");
    }

    @Test
    void aRunsExperimentHasTheLengthsThatRan() throws IOException {
        Experiment whole = Experiment.of("cowtown");
        Lengths ran = whole.full().scaled(0.5).repeated(2);
        assertEquals(2, ran.starts());
        assertEquals(whole.full().window() / 2, ran.window());
        assertEquals(whole.full().drain(), ran.drain(), "what is left to answer takes its time");
        assertEquals(ran, whole.ran(false, ran).lengths(false));
        assertEquals(whole.quick(), whole.ran(false, ran).lengths(true));
        assertEquals(6, whole.quick().repeated(6).repeats());
    }

    @Test
    void cowtownHasThePublishedFigures() throws IOException {
        assertEquals(
                List.of(
                        "10 log RANDOM 1 830",
                        "10 log TIME 1 880",
                        "10 log TIME 10 840",
                        "10 log TIME 100 540",
                        "1 log TIME 1 1010",
                        "2 log TIME 1 990",
                        "4 log TIME 1 980",
                        "8 log TIME 1 920",
                        "20 log TIME 1 850",
                        "50 log TIME 1 840",
                        "1 BIO TIME 1 1210",
                        "10 BIO TIME 1 1010",
                        "1 NIO TIME 1 790",
                        "1 log POST TIME 1 790",
                        "1 log TIME 1 close 500",
                        "10 log RANDOM 1 2380",
                        "10 log TIME 1 2680",
                        "10 log TIME 10 2250",
                        "10 log TIME 100 800",
                        "1 log TIME 1 1750",
                        "2 log TIME 1 2580",
                        "4 log TIME 1 2950",
                        "8 log TIME 1 2750",
                        "20 log TIME 1 2300",
                        "50 log TIME 1 1500",
                        "100 log TIME 1 1400",
                        "4 log POST TIME 1 2850",
                        "4 log TIME 1 close 920",
                        "8 log TIME 1 close 850"),
                published(
                        "cowtown",
                        row -> row.clients() + " "
                                + row.server().replace("BIO+", "").replace("NIO+log", "NIO") + " "
                                + row.work().replace("uuid ", "").replace("GET ", "")));
    }

    @Test
    void minarHasThePublishedFigures() throws IOException {
        List<String> rows = new ArrayList<>();
        for (Row row : Experiment.of("minar").rows()) {
            rows.add(row.clients() + (row.limit() == null ? " none " : " 1MB ") + row.server() + " "
                    + row.then().get("init") + " " + row.then().get("speed") + " "
                    + row.then().get("throughput"));
        }
        assertEquals(
                List.of(
                        "50 none SBA 0.019 4.36 208.76",
                        "50 none ENBA 0.021 4.15 198.79",
                        "50 none EBA-81k 0.018 4.23 202.29",
                        "100 none SBA 4.666 4.32 212.79",
                        "100 none ENBA 0.048 1.84 168.15",
                        "100 none EBA-81k 0.14 1.96 175.71",
                        "200 none SBA 14.288 4.31 208.59",
                        "200 none ENBA 0.108 0.87 144.69",
                        "200 none EBA-81k 0.264 0.97 158.83",
                        "50 1MB SBA 0.003 1.0 42.9",
                        "50 1MB ENBA 0.002 0.98 41.82",
                        "50 1MB EBA-81k 0.003 0.98 41.91",
                        "50 1MB EBA-40k 0.002 0.98 42.85",
                        "100 1MB SBA 20.5 1.0 40.4",
                        "100 1MB ENBA 0.003 0.99 85.14",
                        "100 1MB EBA-81k 0.018 1.0 84.19",
                        "100 1MB EBA-40k 0.013 0.99 84.34",
                        "200 1MB SBA 64.8 1.0 37.12",
                        "200 1MB ENBA 0.112 0.86 141.8",
                        "200 1MB EBA-81k 0.2 0.95 156.59",
                        "200 1MB EBA-40k 0.159 0.96 154.2",
                        "300 1MB SBA 113.9 1.0 34.2",
                        "300 1MB ENBA 0.185 0.58 127.53",
                        "300 1MB EBA-81k 0.31 0.61 133.66",
                        "300 1MB EBA-40k 0.239 0.63 132.75"),
                rows);
        assertEquals(
                Set.of("1000000"),
                Experiment.of("minar").rows().stream()
                        .map(Row::limit)
                        .filter(limit -> limit != null)
                        .collect(Collectors.toSet()));
    }

    @Test
    void bhargavaHasThePublishedFigures() throws IOException {
        assertEquals(
                List.of(
                        "1700 selectors-2 1379",
                        "1700 selectors-4 1214",
                        "1700 selectors-8 1240",
                        "1700 selectors-16 1140",
                        "1700 selectors-32 1260",
                        "1700 selectors-64 1115",
                        "1700 selectors-128 886",
                        "1700 selectors-256 618",
                        "1700 selectors-512 184",
                        "1700 BIO 1737"),
                published("bhargava", row -> row.clients() + " " + row.server()));
    }

    @Test
    void minaAndUndertowHaveThePublishedFigures() throws IOException {
        assertEquals(
                List.of("NIO chunk message 1024 65000"), published("mina", row -> row.server() + " " + row.work()));
        assertEquals(List.of("file 808B.bin pipeline=16 100000", "files 1000"), published("undertow", Row::work));
    }

    private interface Words {
        String of(Row row);
    }

    private static List<String> published(String name, Words words) throws IOException {
        return Experiment.of(name).rows().stream()
                .filter(row -> row.then().containsKey("throughput"))
                .map(row -> words.of(row) + " " + Math.round(row.then().get("throughput")))
                .toList();
    }

    @Test
    void peersJoinTheConditionsThatTheyCanMeet() throws IOException {
        ServerSetting peer = new ServerSetting("x", "tomcat", List.of(), 0, true, true);
        Experiment experiment = Experiment.of("bhargava").expanded(true, Map.of("tomcat", peer));
        assertEquals(
                List.of("tomcat 1,700 connections"),
                experiment.rows().stream()
                        .filter(row -> row.server().equals("tomcat"))
                        .map(Row::id)
                        .toList());
        assertTrue(Experiment.of("mina").expanded(false, Map.of("tomcat", peer)).rows().stream()
                .noneMatch(row -> row.server().equals("tomcat")));
    }

    @Test
    void anUnknownExperimentIsNamed() {
        assertTrue(assertThrows(IllegalArgumentException.class, () -> Experiment.of("nginx"))
                .getMessage()
                .startsWith("no experiment nginx, there are cowtown, "));
    }
}
