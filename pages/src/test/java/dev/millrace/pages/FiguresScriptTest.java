package dev.millrace.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a script has printed becomes figures of the workload that was measured, and of no other. */
class FiguresScriptTest {
    private static String table(String first) {
        return "server             " + first + " (least - most)    ratio   requests/s\n"
                + "wrk                       20.50      20.10 -     21.00     1.00         5000\n";
    }

    private static List<String> figures(String script, String printed) throws Exception {
        Process awk = new ProcessBuilder(
                        "awk",
                        "-v",
                        "run=r",
                        "-v",
                        "script=" + script,
                        "-f",
                        Repository.ROOT.resolve("docs/bench/figures.awk").toString())
                .redirectErrorStream(true)
                .start();
        try (Writer in = awk.outputWriter(StandardCharsets.UTF_8)) {
            in.write(printed);
        }
        String made = new String(awk.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, awk.waitFor(), made);
        return made.lines().toList();
    }

    /** Of the servers' CPU for each request, its ratio, and requests a second. */
    private static List<String> figuresOf(String workload, String prefix) {
        String begin = "r," + workload + ",wrk,";
        return List.of(
                begin + prefix + "cpu_us_per_request,20.50,20.10,21.00,",
                begin + prefix + "cpu_ratio,1.00,,,",
                begin + "requests_per_s,5000,,,");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "connectors | 32 connections, /hello, 7 rounds of 5 s | hello-32",
                "connectors | 256 connections, /hello, 7 rounds of 5 s | hello-256",
                "connectors | 32 connections, /files/a.bin, 7 rounds of 5 s | connectors-/files/a.bin-32",
                "http2 | 60000 requests by 32 connections of 4 streams, 7 rounds | hello-h2",
                "http2 | 60000 requests by 8 connections of 4 streams, 7 rounds | hello-h2-8-4",
                "files | small: 32 connections, 5 rounds of 5 s after 15 s | file-808",
                "files | small: 256 connections, 5 rounds of 5 s after 15 s | file-808-256",
                "tls | h2-hello: 5 rounds of 5 s after 15 s | tls-h2-hello"
            })
    void theWorkloadIsThatOfTheHeading(String script, String heading, String workload) throws Exception {
        assertEquals(figuresOf(workload, ""), figures(script, heading + "\n" + table("us CPU/req")));
    }

    @ParameterizedTest
    @CsvSource({"32, client-cost-tls", "64, client-cost-tls-64"})
    void onlyCostsOfAClientAreCosts(int connections, String workload) throws Exception {
        String printed = connections + " connections, 5 rounds of 5 s after 15 s\n\ncost over TLS\n"
                + table("client us/req") + "\nclosed model, one core for the server\n" + table("req/CPU s");
        assertEquals(figuresOf(workload, "client_"), figures("client", printed));
    }

    @Test
    void memoryIsInBytes() throws Exception {
        assertEquals(
                List.of("r,tls-idle,wrk,object_bytes_per_connection,20992,20582,21504,"),
                figures("tls", "idle: 5 rounds\n" + table("KiB/conn")));
    }
}
