package dev.millrace.load.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Figures that are read from the operating system agree with those of the JVM. */
class HostTest {

    private final ProcessCpu self = new ProcessCpu(ProcessHandle.current().pid());

    @Test
    void cpuTimeGrowsWithWork() {
        long before = self.nanos().orElseThrow();
        long sink = 0;
        while (self.nanos().orElseThrow() < before + 50_000_000L) {
            for (int i = 0; i < 1_000_000; i++) {
                sink += i ^ sink << 1;
            }
        }
        assertTrue(self.nanos().orElseThrow() >= before + 50_000_000L, () -> "never shown");
        assertTrue(sink != 42);
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void theTimeOfAServersChildrenMayBeItsOwn() throws Exception {
        Process shell = new ProcessBuilder("/bin/sh", "-c", "(while :; do :; done) & wait").start();
        try {
            ProcessCpu alone = new ProcessCpu(shell.pid());
            ProcessCpu all = new ProcessCpu(shell.pid(), true);
            while (all.nanos().orElseThrow() < 200_000_000L) {
                Thread.onSpinWait();
            }
            assertTrue(alone.nanos().orElseThrow() < 100_000_000L, "the shell itself only waits");
            assertEquals(1, alone.threads().orElseThrow());
            assertEquals(2, all.threads().orElseThrow(), "so are their threads");
            assertTrue(all.residentBytes().orElseThrow() > alone.residentBytes().orElseThrow(), "and their memory");
        } finally {
            shell.descendants().forEach(ProcessHandle::destroyForcibly);
            shell.destroyForcibly().waitFor();
        }
    }

    /** A script that starts its server by taskset(1) may itself run anywhere. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void theCoresOfAScriptsServerAreThoseOfTheServer() throws Exception {
        assumeTrue(self.allowedCores().orElseThrow() >= 2, "no core can be left out");
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/taskset")), "no taskset");
        String core = Files.readString(Path.of("/proc/self/status"))
                .replaceFirst("(?s).*\nCpus_allowed_list:\\s+(\\d+).*", "$1");
        String server = "(taskset -c " + core + " sh -c 'while :; do :; done') & wait";
        Process script = new ProcessBuilder("/bin/sh", "-c", server).start();
        try {
            ProcessCpu all = new ProcessCpu(script.pid(), true);
            while (all.nanos().orElseThrow() < 500_000_000L) {
                Thread.onSpinWait();
            }
            assertEquals(1, all.allowedCores().orElseThrow());
            assertEquals(self.allowedCores(), new ProcessCpu(script.pid()).allowedCores(), "the script's own");
        } finally {
            script.descendants().forEach(ProcessHandle::destroyForcibly);
            script.destroyForcibly().waitFor();
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aServerThatStartedThisProgramIsNotThisProgram() throws Exception {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String path = System.getProperty("java.class.path");
        Process shell = new ProcessBuilder(
                        "/bin/sh",
                        "-c",
                        "sleep 60 & \"$0\" -cp \"$1\" \"$2\"; kill $!",
                        java,
                        path,
                        Started.class.getName())
                .start();
        try (BufferedReader told = shell.inputReader()) {
            assertEquals("2", told.readLine(), "threads of the shell, and of its other child");
        } finally {
            shell.descendants().forEach(ProcessHandle::destroyForcibly);
            shell.destroyForcibly().waitFor();
        }
    }

    /** Prints how many threads the process has that started this one. */
    static final class Started {

        private Started() {}

        public static void main(String[] args) {
            long parent = ProcessHandle.current().parent().orElseThrow().pid();
            System.out.println(new ProcessCpu(parent, true).threads().orElseThrow());
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aNameThatIsCutWithinACharacterIsRead() throws Exception {
        Process shell = new ProcessBuilder(
                        "/bin/sh", "-c", "printf '14 characters \\303' > /proc/$$/comm && echo named && read end")
                .start();
        try (BufferedReader told = shell.inputReader()) {
            assertEquals("named", told.readLine());
            assertEquals(OptionalLong.of(1), new ProcessCpu(shell.pid()).threads());
        } finally {
            shell.destroyForcibly().waitFor();
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void theTimeOfChildrenThatHaveEndedIsKept() throws Exception {
        Process shell = new ProcessBuilder(
                        "/bin/sh", "-c", "(sh -c 'while :; do :; done' & wait) & wait; echo over; exec cat")
                .start();
        try (BufferedReader told = shell.inputReader()) {
            ProcessCpu all = new ProcessCpu(shell.pid(), true);
            // This is more than the assertion below asks for, because each figure is rounded to ticks.
            while (all.nanos().orElseThrow() < 300_000_000L) {
                Thread.onSpinWait();
            }
            shell.descendants()
                    .filter(one -> one.children().findAny().isEmpty())
                    .forEach(ProcessHandle::destroyForcibly);
            assertEquals("over", told.readLine());
            assertTrue(
                    all.nanos().orElseThrow() >= 200_000_000L,
                    "waited for by the shell's child, and that by the shell");
            assertTrue(new ProcessCpu(shell.pid()).nanos().orElseThrow() < 200_000_000L, "not the shell's own");
        } finally {
            shell.descendants().forEach(ProcessHandle::destroyForcibly);
            shell.destroyForcibly().waitFor();
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aZombieIsDetected() throws Exception {
        // The child ends when its parent is no shell any more, because some shells wait for their children at any time.
        Process careless =
                new ProcessBuilder("/bin/sh", "-c", "(until grep -q cat /proc/$$/comm; do :; done) & exec cat").start();
        try {
            while (careless.children().noneMatch(child -> new ProcessCpu(child.pid()).isZombie())) {
                Thread.onSpinWait();
            }
            assertFalse(new ProcessCpu(careless.pid()).isZombie());
        } finally {
            careless.destroyForcibly().waitFor();
        }
    }

    @Test
    void aProcessThatIsGoneHasNoCpuTime() {
        assertEquals(OptionalLong.empty(), new ProcessCpu(999_999_999L).nanos());
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void theListeningProcessIsFound() throws Exception {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertEquals(OptionalLong.of(ProcessHandle.current().pid()), ListeningPort.pid((InetSocketAddress)
                    listener.getLocalSocketAddress()));
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aHolderHoldsUntilItsSocketIsClosed() throws Exception {
        ListeningPort.Holder holder;
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            holder = ListeningPort.holder((InetSocketAddress) listener.getLocalSocketAddress());
            assertTrue(holder.holds());
        }
        assertFalse(holder.holds());
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void twoProcessesMayListenOnOnePortOfDifferentAddresses() throws Exception {
        Process child = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Listening.class.getName())
                .start();
        try (BufferedReader told =
                new BufferedReader(new InputStreamReader(child.getInputStream(), StandardCharsets.UTF_8))) {
            int port = Integer.parseInt(told.readLine());
            try (ServerSocket own = new ServerSocket(port, 1, InetAddress.getByName("127.0.0.2"))) {
                assertEquals(OptionalLong.of(child.pid()), ListeningPort.pid(new InetSocketAddress("127.0.0.1", port)));
                assertEquals(
                        OptionalLong.of(ProcessHandle.current().pid()),
                        ListeningPort.pid(new InetSocketAddress("127.0.0.2", own.getLocalPort())));
                assertEquals(OptionalLong.empty(), ListeningPort.pid(new InetSocketAddress("127.0.0.3", port)));
            }
        } finally {
            child.destroyForcibly().waitFor();
        }
    }

    /** Listens under another name, and starts a process that listens on the same port, as a service of systemd does. */
    static final class Activating {

        private Activating() {}

        public static void main(String[] args) throws Exception {
            boolean isService = args.length > 1;
            try (ServerSocket listener = new ServerSocket()) {
                listener.setOption(StandardSocketOptions.SO_REUSEPORT, true);
                listener.bind(new InetSocketAddress("127.0.0.1", isService ? Integer.parseInt(args[1]) : 0));
                if (isService) {
                    System.out.println(listener.getLocalPort());
                } else {
                    Files.writeString(Path.of("/proc/self/comm"), args[0]);
                    java(Activating.class.getName(), args[0], Integer.toString(listener.getLocalPort()))
                            .redirectOutput(ProcessBuilder.Redirect.INHERIT)
                            .start();
                }
                Thread.currentThread().join();
            }
        }
    }

    private static ProcessBuilder java(String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path")));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command);
    }

    @ParameterizedTest
    @ValueSource(strings = {"systemd", "docker-proxy", "nginx"})
    @EnabledOnOs(OS.LINUX)
    void whatListensForOthersIsNotTheServer(String name) throws Exception {
        Process activator = java(Activating.class.getName(), name).start();
        try (BufferedReader told = activator.inputReader()) {
            InetSocketAddress address = new InetSocketAddress("127.0.0.1", Integer.parseInt(told.readLine()));
            ProcessHandle service = activator.children().findFirst().orElseThrow();
            OptionalLong master = OptionalLong.of(activator.pid());
            assertEquals(name.equals("nginx") ? master : OptionalLong.of(service.pid()), ListeningPort.pid(address));
            service.destroyForcibly();
            service.onExit().join();
            assertEquals(name.equals("nginx") ? master : OptionalLong.empty(), ListeningPort.pid(address));
        } finally {
            activator.descendants().forEach(ProcessHandle::destroyForcibly);
            activator.destroyForcibly().waitFor();
        }
    }

    /** The kernel deals connections to both. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void ofTwoThatShareAPortNeitherIsTheServer() throws Exception {
        Process first = java(Activating.class.getName(), "any", "0").start();
        try (BufferedReader told = first.inputReader()) {
            String port = told.readLine();
            InetSocketAddress address = new InetSocketAddress("127.0.0.1", Integer.parseInt(port));
            Process second = java(Activating.class.getName(), "any", port).start();
            try (BufferedReader toldToo = second.inputReader()) {
                assertEquals(port, toldToo.readLine());
                assertEquals(OptionalLong.empty(), ListeningPort.pid(address));
            } finally {
                second.destroyForcibly().waitFor();
            }
            assertEquals(OptionalLong.of(first.pid()), ListeningPort.pid(address));
        } finally {
            first.destroyForcibly().waitFor();
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aListenerOnAllAddressesIsFoundByEach() throws Exception {
        OptionalLong self = OptionalLong.of(ProcessHandle.current().pid());
        try (ServerSocketChannel v4 = ServerSocketChannel.open(StandardProtocolFamily.INET);
                ServerSocket both = new ServerSocket(0)) {
            v4.bind(new InetSocketAddress("0.0.0.0", 0));
            int port = ((InetSocketAddress) v4.getLocalAddress()).getPort();
            assertEquals(self, ListeningPort.pid(new InetSocketAddress("127.0.0.3", port)));
            assertEquals(OptionalLong.empty(), ListeningPort.pid(new InetSocketAddress("::1", port)));
            assertEquals(self, ListeningPort.pid(new InetSocketAddress("127.0.0.3", both.getLocalPort())));
        }
    }

    @Test
    void noProcessListensOnPortZero() {
        assertEquals(OptionalLong.empty(), ListeningPort.pid(new InetSocketAddress("127.0.0.1", 0)));
    }

    /** Listens on a free port of 127.0.0.1 until it is killed, and prints the port. */
    static final class Listening {

        private Listening() {}

        public static void main(String[] args) throws Exception {
            try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
                System.out.println(listener.getLocalPort());
                Thread.currentThread().join();
            }
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void theMachinesTimeAddsUpToItsCores() {
        MachineCpu now = MachineCpu.read().orElseThrow();
        assertTrue(now.busySeconds() > 0 && now.idleSeconds() > 0);
        assertTrue(now.since(now).busySeconds() == 0);
        assertTrue(self.threads().orElseThrow() > 1);
        assertTrue(self.residentBytes().orElseThrow() > 1 << 20);
    }

    /** Kernels of arm64 may have pages of 64 KiB. */
    @Test
    void theSizeOfAPageDoesNotMatter(@TempDir Path folder) throws Exception {
        Files.writeString(folder.resolve("stat"), "7 (java) S" + " 0".repeat(20) + " 100" + " 0".repeat(28) + "\n");
        Files.writeString(
                folder.resolve("status"), "Name:\tjava\nVmHWM:\t    9999 kB\nVmRSS:\t    6400 kB\nThreads:\t1\n");
        assertEquals(OptionalLong.of(6400 * 1024), ProcessCpu.residentBytes(folder));
        Files.writeString(folder.resolve("status"), "Name:\tjava\nState:\tZ (zombie)\n");
        assertEquals(OptionalLong.of(0), ProcessCpu.residentBytes(folder), "a zombie has none");
        assertEquals(OptionalLong.empty(), ProcessCpu.residentBytes(folder.resolve("ended")));
    }

    @Test
    void theEnvironmentNamesTheJdk() {
        Map<String, String> facts = Environment.read();
        assertTrue(facts.get("client jdk").contains(System.getProperty("java.runtime.version")));
        assertFalse(facts.containsValue(null));
    }
}
