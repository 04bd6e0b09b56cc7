package dev.millrace.webapp.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.eclipse.jetty.server.Server;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class OptionsTest {
    @Test
    void bothFormsAreTakenAndTheLastOneCounts() throws UsageException {
        Options options = Options.parse("--bio-port", "0", "--nio-port=1", "--nio-port=2");
        assertEquals(0, options.number(Option.BIO_PORT));
        assertEquals(2, options.number(Option.NIO_PORT));
    }

    @Test
    void withoutOptionsTwoListenersAreOn() throws UsageException {
        Options options = Options.parse();
        assertEquals(8080, options.number(Option.BIO_PORT));
        assertEquals(8081, options.number(Option.NIO_PORT));
        assertEquals(-1, options.number(Option.STOCK_PORT));
        assertEquals("127.0.0.1", options.text(Option.HOST));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--what|unknown option \"--what\", see --help",
                "page|unknown option \"page\", see --help",
                "--nio-port|--nio-port needs a value, see --help",
                "--bio-port=x|--bio-port: \"x\" is not a whole number from -1 to 65535",
                "--bio-port=65536|--bio-port: \"65536\" is not a whole number from -1 to 65535",
                "--bio-port=|--bio-port: \"\" is not a whole number from -1 to 65535",
                "--threads=green|--threads: \"green\" is not one of platform, virtual, auto",
                "--algorithm=x|--algorithm: \"x\" is not one of Adaptive, SimpleBlocking, EqualNonBlocking, EqualBlocking, EqualBlocking(bytes)",
                "--files=no-such-folder|--files: \"no-such-folder\" is not a readable folder",
                "--files=|--files: \"\" is not a readable folder",
                "--access-log=no-such-folder/log|--access-log: \"no-such-folder/log\" is not a file in an existing folder",
                "--host= |--host: \" \" is empty"
            },
            ignoreLeadingAndTrailingWhitespace = false)
    void aWrongOptionIsNamedInOneLine(String argument, String message) {
        assertEquals(
                message,
                assertThrows(UsageException.class, () -> Options.parse(argument))
                        .getMessage());
    }

    @Test
    void aMessageStaysOneLineWhateverTheValueHolds() {
        UsageException e = assertThrows(UsageException.class, () -> Options.parse("--threads=a\nb\u001b[1m"));
        assertFalse(e.getMessage().chars().anyMatch(Character::isISOControl), e.getMessage());
    }

    @Test
    void atLeastOneListenerMustBeOn() {
        assertThrows(UsageException.class, () -> Options.parse("--bio-port=-1", "--nio-port", "-1"));
    }

    @Test
    void virtualThreadsAreForJdksThatHaveThem() throws UsageException {
        if (Runtime.version().feature() >= 21) {
            assertEquals("virtual", Options.parse("--threads=virtual").text(Option.THREADS));
        } else {
            assertEquals(
                    "--threads: \"virtual\" needs JDK 21 or newer",
                    assertThrows(UsageException.class, () -> Options.parse("--threads=virtual"))
                            .getMessage());
        }
    }

    @Test
    void helpAndVersionStartNothing() throws UsageException {
        assertEquals(
                Options.help(),
                Options.parse("--bio-port=0", "--help", "--what").information().orElseThrow());
        String version = Options.parse("-V").information().orElseThrow();
        assertTrue(
                version.startsWith("Millrace ") && version.contains(", Jetty " + Server.getVersion() + ", Java "),
                version);
        assertTrue(Options.parse("--bio-port=0").information().isEmpty());
    }

    @ParameterizedTest
    @EnumSource(Option.class)
    void helpAndDocumentationNameEveryOptionAndItsDefaultIsAllowed(Option option) throws IOException {
        String documentation = Files.readString(Path.of("..", "docs", "web-application.md"));
        assertTrue(documentation.contains("| `" + option.flag() + " " + option.placeholder + "` |"), option.flag());
        assertTrue(Options.help().contains("  " + option.flag() + " "));
        assertTrue(option.defaultValue.isEmpty()
                || option.check.fault(option.defaultValue).isEmpty());
    }
}
