package dev.millrace.spring;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.web.server.servlet.ServletWebServerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** What cannot be is told with what mends it, and not by a stack trace. */
@ExtendWith(OutputCaptureExtension.class)
class FailureAnalysisTest {
    /** A web server that is not Jetty. */
    @Configuration
    @Import(HelloApplication.class)
    static class OtherServer {
        @Bean
        ServletWebServerFactory factory() {
            return initializers -> null;
        }
    }

    private static void assertTold(CapturedOutput output, Class<?> application, String[] told, String... options) {
        assertNotNull(assertThrows(
                RuntimeException.class,
                () -> RunningApp.start(application, options).close()));
        for (String text : told) {
            assertTrue(output.toString().contains(text), () -> text + " is not in:\n" + output);
        }
    }

    @Test
    void anotherServer(CapturedOutput output) {
        assertTold(output, OtherServer.class, new String[] {
            "APPLICATION FAILED TO START", "spring-boot-starter-tomcat", "millrace.enabled=false"
        });
    }

    @Test
    void aValueThatTheConnectorRefuses(CapturedOutput output) {
        assertTold(
                output,
                HelloApplication.class,
                new String[] {
                    "The property millrace.workers cannot be 0: workers is at least 1, not 0.",
                    "Correct the value of millrace.workers"
                },
                "--millrace.workers=0");
    }

    @Test
    void anAlgorithmThatThereIsNot(CapturedOutput output) {
        assertTold(
                output,
                HelloApplication.class,
                new String[] {"The property millrace.algorithm cannot be Clever", "Adaptive"},
                "--millrace.algorithm=Clever");
    }

    @Test
    void aConnectorThatThereIsNot(CapturedOutput output) {
        assertTold(
                output,
                HelloApplication.class,
                new String[] {"millrace.connector", "BIO", "NIO"},
                "--millrace.connector=aio");
    }

    @Test
    void acceptingSelectorsOfBio(CapturedOutput output) {
        assertTold(
                output,
                HelloApplication.class,
                new String[] {"server.jetty.threads.acceptors is 0", "millrace.connector=nio"},
                "--millrace.connector=bio",
                "--server.jetty.threads.acceptors=0");
    }

    @Test
    void aMappingWithoutSlashes(CapturedOutput output) {
        assertTold(
                output,
                HelloApplication.class,
                new String[] {"millrace.xsendfile.mappings cannot have the key \"protected\"", "[/protected/]"},
                "--millrace.xsendfile.mappings.protected=files");
    }

    @Test
    void sizesAndNumbersOfFiles(CapturedOutput output) {
        assertTold(
                output,
                HelloApplication.class,
                new String[] {"The property millrace.files.max-open cannot be 0: maxOpenFiles is at least 1, not 0."},
                "--millrace.files.max-open=0");
        for (String property : new String[] {"cache-size", "max-cached-file-size"}) {
            for (String size : new String[] {"4GB", "-1B"}) {
                assertTold(
                        output,
                        HelloApplication.class,
                        new String[] {"The property millrace.files." + property + " cannot be "},
                        "--millrace.files." + property + "=" + size);
            }
        }
    }

    @Test
    void bytesThatNoIntHolds(CapturedOutput output) {
        for (String property : new String[] {"files.cache-size", "files.max-cached-file-size", "read-ahead-size"}) {
            assertTold(
                    output,
                    HelloApplication.class,
                    new String[] {
                        "The property millrace." + property + " cannot be 3221225472B: it is at most 2147483647 bytes."
                    },
                    "--millrace.connector=bio",
                    "--millrace." + property + "=3GB");
        }
        assertTold(
                output,
                HelloApplication.class,
                new String[] {
                    "The property millrace.files.cache-size cannot be -3221225472B: maxCacheBytes is at least 0"
                },
                "--millrace.files.cache-size=-3GB");
    }

    @Test
    void timesBelowZero(CapturedOutput output) {
        Map<String, String> names = Map.of(
                "request-head-timeout", "requestHeadTimeoutMillis",
                "slow-peer-grace", "slowPeerGraceMillis",
                "lingering-close-timeout", "lingeringCloseMillis");
        Map<String, String> millis = Map.of("-5", "-5", "-1s", "-1000");
        names.forEach((property, name) -> millis.forEach((time, told) -> assertTold(
                output,
                HelloApplication.class,
                new String[] {
                    "The property millrace.limits." + property + " cannot be " + told + "ms: " + name
                            + " is at least 0, not " + told + "."
                },
                "--millrace.limits." + property + "=" + time)));
    }

    @Test
    void timesThatAreTooLong(CapturedOutput output) {
        for (String property : new String[] {"request-head-timeout", "slow-peer-grace", "lingering-close-timeout"}) {
            assertTold(
                    output,
                    HelloApplication.class,
                    new String[] {
                        "The property millrace.limits." + property + " cannot be ",
                        ": it is at most 9223372036854775807ms."
                    },
                    "--millrace.limits." + property + "=" + Long.MAX_VALUE + "s");
        }
    }

    /** Taken for the directory in which the application was started, all its files could be named. */
    @Test
    void aMappingWithoutADirectory(CapturedOutput output) {
        assertTold(
                output,
                HelloApplication.class,
                new String[] {"The property millrace.xsendfile.mappings[/protected/] names no directory."},
                "--millrace.xsendfile.mappings[/protected/]=");
    }

    @Test
    @EnabledForJreRange(max = JRE.JAVA_20)
    void virtualThreadsOfAnOldJdk(CapturedOutput output) {
        assertTold(
                output,
                HelloApplication.class,
                new String[] {"this JDK has no virtual threads: it is 17", "millrace.threads=platform"},
                "--millrace.connector=bio",
                "--millrace.threads=virtual");
    }
}
