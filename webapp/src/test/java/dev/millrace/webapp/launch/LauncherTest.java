package dev.millrace.webapp.launch;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LauncherTest {

    @TempDir
    private Path folder;

    /** As the verifier throws it for a class of the server whose file was removed. */
    private static void startWithoutAClass() {
        throw new NoClassDefFoundError("dev/millrace/webapp/server/UsageException");
    }

    private static void startWithoutAFile() throws Exception {
        throw new FileSystemException("webapp");
    }

    private Launcher launcher() throws Exception {
        return new Launcher(Files.createDirectory(folder.resolve("home")));
    }

    @Test
    void aStartThatTheEndDisturbsIsNoFailure() throws Exception {
        Launcher launcher = launcher();
        launcher.stop();
        assertDoesNotThrow(() -> launcher.unlessEnding(LauncherTest::startWithoutAClass));
        assertDoesNotThrow(() -> launcher.unlessEnding(LauncherTest::startWithoutAFile));
    }

    @Test
    void anyOtherStartThatFailsIsTold() throws Exception {
        Launcher launcher = launcher();
        assertThrows(NoClassDefFoundError.class, () -> launcher.unlessEnding(LauncherTest::startWithoutAClass));
        assertThrows(FileSystemException.class, () -> launcher.unlessEnding(LauncherTest::startWithoutAFile));
    }
}
