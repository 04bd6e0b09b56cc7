package dev.millrace.load.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What control groups leave a process of the processors' time: the {@code cpu.max} of version 2 (cgroups(7)), as
 * containers have it. Quotas of version 1 are not read. Stateless.
 */
final class CpuQuota {

    private static final String OF_VERSION_2 = "0::/";

    private CpuQuota() {}

    /**
     * The least quota of a process's group and of the groups around it, in cores.
     *
     * @param process its folder in {@code /proc}
     * @param root    where the groups are mounted. In a container it is the container's own group, which has a quota too
     * @return infinite when there is no quota, or none that can be read
     */
    static double cores(Path process, Path root) {
        double least = Double.POSITIVE_INFINITY;
        try {
            for (String line : Files.readAllLines(process.resolve("cgroup"))) {
                if (line.startsWith(OF_VERSION_2)) {
                    Path group =
                            root.resolve(line.substring(OF_VERSION_2.length())).normalize();
                    for (; group != null && group.startsWith(root); group = group.getParent()) {
                        least = Math.min(least, ofGroup(group));
                    }
                }
            }
        } catch (IOException ignored) {
            // There is no /proc, or the process has ended.
            return Double.POSITIVE_INFINITY;
        }
        return least;
    }

    private static double ofGroup(Path group) {
        try {
            // Microseconds of processor time, and of the period in which they may be used.
            String[] quota = Files.readString(group.resolve("cpu.max")).strip().split(" ");
            return quota[0].equals("max")
                    ? Double.POSITIVE_INFINITY
                    : Double.parseDouble(quota[0]) / Double.parseDouble(quota[1]);
        } catch (IOException ignored) {
            // The outermost group has no such file, and a group without the controller of processors has none.
            return Double.POSITIVE_INFINITY;
        }
    }
}
