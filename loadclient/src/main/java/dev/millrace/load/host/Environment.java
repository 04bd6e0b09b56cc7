package dev.millrace.load.host;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The block of facts that belongs to every figure: kernel, cores, JDK, TCP settings. Stateless. */
public final class Environment {

    private static final List<String> KERNEL_FILES = List.of(
            "net/ipv4/tcp_congestion_control", "net/ipv4/tcp_rmem", "net/ipv4/tcp_wmem", "net/ipv4/tcp_tw_reuse",
            "net/ipv4/ip_local_port_range", "net/core/somaxconn");

    private Environment() {
    }

    /** Name and value of each fact, in the order in which they are shown; what cannot be read is left out. */
    public static Map<String, String> read() {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("os", property("os.name") + " " + property("os.version") + " " + property("os.arch"));
        put(facts, "cpu model", cpuModel());
        facts.put("cores", Integer.toString(Runtime.getRuntime().availableProcessors()));
        put(facts, "memory", memory());
        facts.put("client jdk", property("java.vm.name") + " " + property("java.runtime.version"));
        facts.put("client jvm options", String.join(" ", ManagementFactory.getRuntimeMXBean().getInputArguments()));
        for (String file : KERNEL_FILES) {
            put(facts, file.substring(file.lastIndexOf('/') + 1), firstLine("/proc/sys/" + file));
        }
        put(facts, "clocksource", firstLine("/sys/devices/system/clocksource/clocksource0/current_clocksource"));
        put(facts, "load average before", firstLine("/proc/loadavg"));
        return facts;
    }

    /** The command line of a process of this machine, or null. */
    public static String commandLine(long pid) {
        return ProcessHandle.of(pid).flatMap(handle -> handle.info().commandLine()).orElse(null);
    }

    private static void put(Map<String, String> facts, String name, String value) {
        if (value != null) {
            facts.put(name, value);
        }
    }

    private static String property(String name) {
        return System.getProperty(name);
    }

    private static String cpuModel() {
        return valueOf("/proc/cpuinfo", "model name");
    }

    private static String memory() {
        return valueOf("/proc/meminfo", "MemTotal");
    }

    private static String valueOf(String file, String key) {
        for (String line : lines(file)) {
            if (line.startsWith(key)) {
                return line.substring(line.indexOf(':') + 1).strip();
            }
        }
        return null;
    }

    private static String firstLine(String file) {
        List<String> lines = lines(file);
        return lines.isEmpty() ? null : lines.get(0).strip().replace('\t', ' ');
    }

    private static List<String> lines(String file) {
        try {
            return Files.readAllLines(Path.of(file));
        } catch (IOException ignored) {
            // Not Linux, or hidden in a container: the fact is left out.
            return List.of();
        }
    }
}
