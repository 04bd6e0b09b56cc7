package dev.millrace.load.host;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files are laid out as the kernel shows them (cgroups(7)). */
class CpuQuotaTest {

    private static final double NONE = Double.POSITIVE_INFINITY;

    @TempDir
    private Path process;

    @TempDir
    private Path root;

    @BeforeEach
    void aGroupInAnother() throws IOException {
        group("system.slice/docker-1f.scope", "max 100000");
        Files.writeString(root.resolve("system.slice/cpu.max"), "max 100000\n");
    }

    private void group(String name, String quota) throws IOException {
        Path folder = Files.createDirectories(root.resolve(name));
        Files.writeString(folder.resolve("cpu.max"), quota + "\n");
    }

    private double coresIn(String group) throws IOException {
        Files.writeString(process.resolve("cgroup"), "3:cpuset:/elsewhere\n0::" + group + "\n");
        return CpuQuota.cores(process, root);
    }

    @Test
    void aContainerHasWhatItsGroupHas() throws IOException {
        assertEquals(NONE, coresIn("/system.slice/docker-1f.scope"));
        group("system.slice/docker-1f.scope", "150000 100000");
        assertEquals(1.5, coresIn("/system.slice/docker-1f.scope"));
    }

    @Test
    void aGroupAroundMayLeaveLess() throws IOException {
        group("system.slice/docker-1f.scope", "400000 100000");
        group("system.slice", "25000 50000");
        assertEquals(0.5, coresIn("/system.slice/docker-1f.scope"));
    }

    @Test
    void withinAContainerTheMountIsItsGroup() throws IOException {
        group("", "200000 100000");
        assertEquals(2, coresIn("/"));
    }

    @Test
    void withoutGroupsOfVersion2NothingIsKnown() throws IOException {
        Files.writeString(process.resolve("cgroup"), "1:cpu:/system.slice\n");
        assertEquals(NONE, CpuQuota.cores(process, root));
        assertEquals(NONE, CpuQuota.cores(process.resolve("ended"), root));
        assertEquals(NONE, coresIn("/of/another/mount"));
        assertEquals(NONE, coresIn("/../outside"), "a process that this namespace does not see");
    }
}
