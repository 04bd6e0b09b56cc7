package dev.millrace.examples.osgi;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.InputStream;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.osgi.framework.Bundle;
import org.osgi.framework.Constants;
import org.osgi.framework.launch.Framework;
import org.osgi.framework.launch.FrameworkFactory;
import org.osgi.framework.wiring.BundleRevision;

/**
 * The connector's bundle, a fragment of Jetty's server, in a framework with nothing but the bundles that it needs.
 *
 * <p>The test is outside of the framework, so it names the classes in there by reflection.
 */
class BundlesIT {
    private static final int FILE_BYTES = 1_000_000;

    private Framework framework;
    private Bundle server;

    @BeforeEach
    void start() throws Exception {
        framework = ServiceLoader.load(FrameworkFactory.class)
                .findFirst()
                .orElseThrow()
                .newFramework(Map.of(
                        Constants.FRAMEWORK_STORAGE,
                        System.getProperty("storage"),
                        Constants.FRAMEWORK_STORAGE_CLEAN,
                        Constants.FRAMEWORK_STORAGE_CLEAN_ONFIRSTINIT));
        framework.start();
        List<Bundle> bundles = new ArrayList<>();
        try (Stream<Path> jars = Files.list(Path.of(System.getProperty("bundles")))) {
            for (Path jar : jars.sorted().toList()) {
                bundles.add(
                        framework.getBundleContext().installBundle(jar.toUri().toString()));
            }
        }
        for (Bundle bundle : bundles) {
            if (bundle.getHeaders().get(Constants.FRAGMENT_HOST) == null) {
                bundle.start();
            }
        }
        server = bundle("org.eclipse.jetty.server");
    }

    @AfterEach
    void stop() throws Exception {
        framework.stop();
        framework.waitForStop(10_000);
    }

    private Bundle bundle(String symbolicName) {
        return Stream.of(framework.getBundleContext().getBundles())
                .filter(bundle -> symbolicName.equals(bundle.getSymbolicName()))
                .findFirst()
                .orElseThrow();
    }

    /** The packages that a bundle exports. */
    private static Set<String> exports(Bundle bundle) {
        return bundle.adapt(BundleRevision.class).getDeclaredCapabilities(BundleRevision.PACKAGE_NAMESPACE).stream()
                .map(capability -> (String) capability.getAttributes().get(BundleRevision.PACKAGE_NAMESPACE))
                .collect(Collectors.toSet());
    }

    @Test
    void aFragmentOfJettysServerExportsWhatUsersName() {
        Bundle fragment = bundle("dev.millrace.connector");
        assertEquals(Bundle.RESOLVED, fragment.getState());
        assertTrue(fragment.getHeaders().get(Constants.FRAGMENT_HOST).startsWith("org.eclipse.jetty.server;"));
        assertEquals(
                Set.of(
                        "dev.millrace.connector",
                        "dev.millrace.files",
                        "dev.millrace.metrics",
                        "dev.millrace.monitor",
                        "dev.millrace.transfer",
                        "dev.millrace.xsendfile"),
                exports(fragment));
    }

    @Test
    void servletsAreBundlesOfTheirOwn() throws Exception {
        for (String name : List.of("dev.millrace.ee11.SendfileServlet", "dev.millrace.uuid.UuidServlet")) {
            String packageName = name.substring(0, name.lastIndexOf('.'));
            Bundle bundle = bundle(packageName);
            assertEquals(Bundle.ACTIVE, bundle.getState());
            assertEquals(Set.of(packageName), exports(bundle));
            assertNotNull(bundle.loadClass(name).getConstructor().newInstance());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"BioConnector", "NioConnector"})
    void aConnectorServesAFile(String connectorType, @TempDir Path directory) throws Exception {
        byte[] file = new byte[FILE_BYTES];
        new Random(1).nextBytes(file);
        Files.write(directory.resolve("file.bin"), file);
        Class<?> serverType = server.loadClass("org.eclipse.jetty.server.Server");
        Object jetty = serverType.getConstructor().newInstance();
        Object connector = server.loadClass("dev.millrace.connector." + connectorType)
                .getConstructor(serverType)
                .newInstance(jetty);
        Object handler = server.loadClass("dev.millrace.files.SendfileHandler")
                .getConstructor()
                .newInstance();
        call(handler, "setBaseResourceAsString", String.class, directory.toString());
        call(jetty, "addConnector", server.loadClass("org.eclipse.jetty.server.Connector"), connector);
        call(jetty, "setHandler", server.loadClass("org.eclipse.jetty.server.Handler"), handler);
        call(jetty, "start");
        try (InputStream body =
                new URL("http://127.0.0.1:" + call(connector, "getLocalPort") + "/file.bin").openStream()) {
            assertArrayEquals(file, body.readAllBytes());
            awaitTransferred(call(connector, "getTransferStatistics"));
        } finally {
            call(jetty, "stop");
        }
    }

    /** Waits for the count of what the kernel has sent: a client has an answer's last byte before the server has counted it. */
    private static void awaitTransferred(Object statistics) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while ((long) call(statistics, "getTransferredBytes") < FILE_BYTES && System.nanoTime() < end) {
            Thread.yield();
        }
        assertEquals((long) FILE_BYTES, call(statistics, "getTransferredBytes"), "sent by the kernel");
    }

    private static Object call(Object object, String method) throws Exception {
        return object.getClass().getMethod(method).invoke(object);
    }

    private static void call(Object object, String method, Class<?> type, Object argument) throws Exception {
        object.getClass().getMethod(method, type).invoke(object, argument);
    }
}
