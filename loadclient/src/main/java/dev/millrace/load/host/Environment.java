package dev.millrace.load.host;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The facts about this machine that figures depend on: kernel, cores, JDK, TCP settings. Stateless. */
public final class Environment {

    private static final List<String> KERNEL_FILES = List.of(
            "net/ipv4/tcp_congestion_control",
            "net/ipv4/tcp_rmem",
            "net/ipv4/tcp_wmem",
            "net/ipv4/tcp_tw_reuse",
            "net/ipv4/ip_local_port_range",
            "net/core/somaxconn");

    private Environment() {}

    /** Name and value of each fact, in the order in which they are shown. Facts that cannot be read are left out. */
    public static Map<String, String> read() {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put(
                "os",
                System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                        + System.getProperty("os.arch"));
        put(facts, "cpu model", valueOf("/proc/cpuinfo", "model name"));
        facts.put("cores", Integer.toString(Runtime.getRuntime().availableProcessors()));
        put(facts, "memory", valueOf("/proc/meminfo", "MemTotal"));
        facts.put("client jdk", System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version"));
        facts.put(
                "client jvm options",
                String.join(" ", ManagementFactory.getRuntimeMXBean().getInputArguments()));
        for (String file : KERNEL_FILES) {
            put(facts, file.substring(file.lastIndexOf('/') + 1), firstLine("/proc/sys/" + file));
        }
        put(facts, "clocksource", firstLine("/sys/devices/system/clocksource/clocksource0/current_clocksource"));
        put(facts, "load average before", firstLine("/proc/loadavg"));
        return facts;
    }

    /** The command line of a process of this machine; null if it is not known. */
    public static @Nullable String commandLine(long pid) {
        return ProcessHandle.of(pid)
                .flatMap(handle -> handle.info().commandLine())
                .orElse(null);
    }

    /** This process's own command line; empty if it is not known. */
    public static String commandLine() {
        String command = commandLine(ProcessHandle.current().pid());
        return command == null ? "" : command;
    }

    private static void put(Map<String, String> facts, String name, @Nullable String value) {
        if (value != null) {
            facts.put(name, value);
        }
    }

    private static @Nullable String valueOf(String file, String key) {
        for (String line : lines(file)) {
            if (line.startsWith(key)) {
                return line.substring(line.indexOf(':') + 1).strip();
            }
        }
        return null;
    }

    private static @Nullable String firstLine(String file) {
        List<String> lines = lines(file);
        return lines.isEmpty() ? null : lines.get(0).strip().replace('\t', ' ');
    }

    private static List<String> lines(String file) {
        try {
            return Files.readAllLines(Path.of(file));
        } catch (IOException ignored) {
            // Not Linux, or a container hides the file: the fact is left out.
            return List.of();
        }
    }
}
