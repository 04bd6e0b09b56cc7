package dev.millrace.load.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The exit code of a command that runs several things. */
class ExitCodeTest {

    @Test
    void withoutACellNothingIsGood() {
        assertEquals(ExitCode.INVALID, ExitCode.of(List.of()));
    }

    @Test
    void errorsComeBeforeWhatIsInvalid() {
        assertEquals(ExitCode.ERRORS, ExitCode.ofBoth(ExitCode.ERRORS, ExitCode.INVALID));
        assertEquals(ExitCode.ERRORS, ExitCode.ofBoth(ExitCode.INVALID, ExitCode.ERRORS));
        assertEquals(ExitCode.INVALID, ExitCode.ofBoth(ExitCode.GOOD, ExitCode.INVALID));
        assertEquals(ExitCode.INVALID, ExitCode.ofBoth(ExitCode.INVALID, ExitCode.GOOD));
        assertEquals(ExitCode.GOOD, ExitCode.ofBoth(ExitCode.GOOD, ExitCode.GOOD));
    }
}
