package dev.millrace.webapp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FileRootTest {
    @TempDir
    Path folder;

    private Path inside;
    private FileRoot root;

    @BeforeEach
    void makeFiles() throws IOException {
        Files.writeString(folder.resolve("secret.txt"), "secret");
        Path served = Files.createDirectory(folder.resolve("served"));
        inside = Files.writeString(Files.createDirectory(served.resolve("sub")).resolve("a b.txt"), "text");
        Files.createDirectory(folder.resolve("served-too"));
        Files.writeString(folder.resolve("served-too/x.txt"), "x");
        root = FileRoot.of(served);
    }

    @Test
    void findsFilesInSubFolders() throws IOException {
        assertEquals(Optional.of(inside.toRealPath()), root.find("sub/a b.txt"));
        assertEquals(Optional.of(inside.toRealPath()), root.find("/sub/a b.txt"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "/",
                "sub",
                "sub/",
                "missing",
                "../secret.txt",
                "sub/../../secret.txt",
                "../served-too/x.txt",
                "sub/../sub/a b.txt",
                "./sub/a b.txt",
                "sub//a b.txt",
                "sub/a b.txt/",
                "//etc/passwd",
                "/../secret.txt",
                "nul\0byte",
                "..\\secret.txt",
                "sub/a b.txt\0.html"
            })
    void refusesEverythingElse(String name) {
        assertEquals(Optional.empty(), root.find(name));
    }

    @Test
    void linksAreJudgedByTheirTargets() throws IOException {
        Path out = Files.createSymbolicLink(root.path().resolve("out.txt"), folder.resolve("secret.txt"));
        Files.createSymbolicLink(root.path().resolve("up"), folder);
        Files.createSymbolicLink(root.path().resolve("in.txt"), inside);
        assertEquals(Optional.empty(), root.find(out.getFileName().toString()));
        assertEquals(Optional.empty(), root.find("up/secret.txt"));
        assertEquals(Optional.of(inside.toRealPath()), root.find("in.txt"));
    }
}
