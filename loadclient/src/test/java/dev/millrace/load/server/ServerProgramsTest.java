package dev.millrace.load.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commit that a run reports, and programs that are missing. */
class ServerProgramsTest {
    @TempDir
    Path clone;

    private void git(String... arguments) throws Exception {
        List<String> command =
                new ArrayList<>(List.of("git", "-c", "user.name=test", "-c", "user.email=test@localhost"));
        command.addAll(List.of(arguments));
        int exit;
        try {
            exit = new ProcessBuilder(command)
                    .directory(clone.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
        } catch (IOException x) {
            exit = -1;
        }
        assumeTrue(exit == 0, "no git here");
    }

    private void write(String file, String text) throws IOException {
        Files.createDirectories(clone.resolve(file).getParent());
        Files.writeString(clone.resolve(file), text);
    }

    @BeforeEach
    void commit() throws Exception {
        git("init");
        write("docs/results/mina/run.json", "{}");
        write("src/Server.java", "class Server {}");
        git("add", ".");
        git("commit", "-m", "first");
    }

    @Test
    void namesTheCommit() throws Exception {
        String commit = ServerPrograms.commit(clone);
        assertEquals(12, commit.length(), commit);
    }

    @Test
    void marksChangedSourcesButNotOtherRunsResults() throws Exception {
        String commit = ServerPrograms.commit(clone);
        write("docs/results/mina/run.json", "{\"again\": true}");
        write("docs/results/mina/cells.csv", "a,b");
        assertEquals(commit, ServerPrograms.commit(clone));
        write("src/Server.java", "class Server { int other; }");
        assertEquals(commit + "-dirty", ServerPrograms.commit(clone));
    }

    /** A command may run another Java, and a file of another folder may be of any age. */
    @Test
    void whatIsNotOfThisProjectHasNoneOfItsFacts() throws Exception {
        ServerJava java = ServerJava.current();
        Path root = clone.toAbsolutePath().normalize();
        Map<String, String> own = new ServerPrograms(java, root.resolve("webapp/own.war"), null, null, root).facts();
        assertEquals(Map.of("server jdk", java.version(), "commit", ServerPrograms.commit(clone)), own);
        Map<String, String> other = new ServerPrograms(java, root.resolveSibling("old.war"), null, null, root).facts();
        assertEquals(Map.of("server jdk", java.version()), other);
        Map<String, String> command = new ServerPrograms(java, null, List.of("x"), null, root).facts();
        assertEquals(Map.of("jdk of peers", java.version()), command);
    }

    @Test
    void peersThatAreNotBuiltAreLeftOut() throws Exception {
        ServerPrograms programs =
                new ServerPrograms(ServerJava.current(), null, List.of("x"), clone.resolve("none.jar"), null);
        assertNull(programs.peer("jetty"));
        assertEquals("the module peers is not built", programs.reasonForNoPeer("jetty"));
    }

    @Test
    void peersHaveTheHeapOfTheApplication() throws Exception {
        Path jar = Files.createFile(clone.resolve("some.jar"));
        ServerPrograms programs = new ServerPrograms(ServerJava.current(), jar, null, jar, null);
        assertTrue(programs.war("2g").contains("-Xmx2g"));
        assertTrue(programs.peer("jetty", clone, "2g").contains("-Xmx2g"));
    }

    @Test
    void anotherJavaTellsItsVersion() throws Exception {
        ServerJava same = ServerJava.of(Path.of(System.getProperty("java.home")));
        assertEquals(ServerJava.current().feature(), same.feature());
    }
}
