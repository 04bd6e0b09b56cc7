package dev.millrace.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.connector.BioConnector;
import dev.millrace.connector.NioConnector;
import dev.millrace.files.ServerSendfile;
import java.net.InetSocketAddress;
import org.eclipse.jetty.server.AbstractConnector;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.jetty.JettyServerCustomizer;
import org.springframework.boot.jetty.servlet.JettyServletWebServerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** The dependency alone puts a connector of Millrace into Spring Boot's Jetty, and its properties reach it. */
class StarterTest {
    @Test
    void servesByNioUnlessToldOtherwise() throws Exception {
        try (RunningApp app = RunningApp.start(HelloApplication.class)) {
            assertEquals(1, app.server().getConnectors().length);
            assertInstanceOf(NioConnector.class, app.connector());
            assertEquals("http: hello", app.get("/hello").body());
        }
    }

    @Test
    void servesByBio() throws Exception {
        try (RunningApp app = RunningApp.start(HelloApplication.class, "--millrace.connector=bio")) {
            BioConnector connector = assertInstanceOf(BioConnector.class, app.connector());
            assertFalse(connector.isVirtual(), "nobody has asked for virtual threads");
            assertEquals("http: hello", app.get("/hello").body());
        }
    }

    @Test
    void isOffByAProperty() throws Exception {
        try (RunningApp app = RunningApp.start(HelloApplication.class, "--millrace.enabled=false")) {
            assertSame(ServerConnector.class, app.server().getConnectors()[0].getClass());
            assertEquals(0, app.server().getBeans(ServerSendfile.class).size());
            assertEquals("http: hello", app.get("/hello").body());
        }
    }

    /** Spring Boot's condition of a property takes all of these for false, and nothing else of it does. */
    @ParameterizedTest
    @ValueSource(strings = {"yes", "on", "1", "TRUE"})
    void isOnByWhatSpringBootTakesForTrue(String on) throws Exception {
        try (RunningApp app = RunningApp.start(
                HelloApplication.class, "--millrace.enabled=" + on, "--millrace.files.enabled=" + on)) {
            assertInstanceOf(NioConnector.class, app.connector());
            assertEquals(1, app.server().getBeans(ServerSendfile.class).size());
            assertEquals(
                    1,
                    app.context()
                            .getBeansOfType(StaticResourcePostProcessor.class)
                            .size());
        }
    }

    @Test
    void aSwitchThatIsNeitherIsRefused() {
        Throwable refused = assertThrows(
                RuntimeException.class, () -> RunningApp.start(HelloApplication.class, "--millrace.enabled=ture"));
        StringBuilder reasons = new StringBuilder();
        for (Throwable cause = refused; cause != null; cause = cause.getCause()) {
            reasons.append(cause.getMessage()).append('\n');
        }
        assertTrue(reasons.toString().contains("Invalid boolean value 'ture'"), reasons::toString);
    }

    @Test
    void settingsOfNioReachIt() {
        try (RunningApp app = RunningApp.start(
                HelloApplication.class,
                "--millrace.dispatch=handoff",
                "--millrace.requests-per-dispatch=5",
                "--millrace.algorithm=EqualBlocking(4096)",
                "--millrace.workers=7",
                "--millrace.header-cache-size=12")) {
            NioConnector connector = assertInstanceOf(NioConnector.class, app.connector());
            assertEquals("handoff", connector.getDispatch());
            assertEquals(5, connector.getRequestsPerDispatch());
            assertEquals("EqualBlocking(4096)", connector.getAlgorithm());
            assertEquals(7, connector.getWorkers());
            assertEquals(12, connector.getHeaderCacheSize());
        }
    }

    @Test
    void settingsOfBioAndLimitsReachIt() {
        try (RunningApp app = RunningApp.start(
                HelloApplication.class,
                "--millrace.connector=bio",
                "--millrace.threads=platform",
                "--millrace.read-ahead-size=2KB",
                "--millrace.limits.request-head-timeout=11s",
                "--millrace.limits.min-request-bytes-per-second=12",
                "--millrace.limits.min-response-bytes-per-second=13",
                "--millrace.limits.slow-peer-grace=14ms",
                "--millrace.limits.slow-requests-always-ended=true",
                "--millrace.limits.grpc-exempt=true",
                "--millrace.limits.lingering-close-timeout=15s",
                "--millrace.limits.lingering-close-size=16KB")) {
            BioConnector connector = assertInstanceOf(BioConnector.class, app.connector());
            assertEquals("platform", connector.getThreads());
            assertEquals(2048, connector.getReadAheadBytes());
            assertEquals(11_000, connector.getRequestHeadTimeoutMillis());
            assertEquals(12, connector.getMinRequestBytesPerSecond());
            assertEquals(13, connector.getMinResponseBytesPerSecond());
            assertEquals(14, connector.getSlowPeerGraceMillis());
            assertTrue(connector.isSlowRequestsAlwaysEnded());
            assertTrue(connector.isGrpcExempt());
            assertEquals(15_000, connector.getLingeringCloseMillis());
            assertEquals(16 * 1024, connector.getLingeringCloseBytes());
        }
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void bioHasVirtualThreadsWhereSpringSaysSo() throws Exception {
        try (RunningApp app = RunningApp.start(
                HelloApplication.class, "--millrace.connector=bio", "--spring.threads.virtual.enabled=true")) {
            assertTrue(assertInstanceOf(BioConnector.class, app.connector()).isVirtual());
            assertTrue(app.get("/thread").body().startsWith("VirtualThread"));
        }
    }

    @Test
    void whereSelectorsAcceptALimitOfJettysHolds() throws Exception {
        try (RunningApp app = RunningApp.start(
                HelloApplication.class, "--server.jetty.threads.acceptors=0", "--server.jetty.max-connections=5")) {
            assertEquals(0, app.connector().getMaxConnections());
            assertEquals(5, app.server().getBean(NetworkConnectionLimit.class).getMaxNetworkConnectionCount());
            assertEquals("http: hello", app.get("/hello").body());
        }
    }

    /** Customizers that set something on connectors find the one that serves. */
    @Configuration
    @Import(HelloApplication.class)
    static class Customized {
        @Bean
        JettyServerCustomizer named() {
            return server -> ((ServerConnector) server.getConnectors()[0]).setName("of-the-application");
        }
    }

    @Test
    void customizersOfTheApplicationFindTheConnectorThatServes() {
        try (RunningApp app = RunningApp.start(Customized.class)) {
            assertEquals("of-the-application", app.connector().getName());
        }
    }

    /** A factory of the application's own. */
    @Configuration
    @Import(HelloApplication.class)
    static class OwnFactory {
        @Bean
        JettyServletWebServerFactory factory() {
            return new JettyServletWebServerFactory();
        }
    }

    @Test
    void aFactoryOfTheApplicationsOwnIsServedToo() throws Exception {
        try (RunningApp app = RunningApp.start(OwnFactory.class)) {
            assertInstanceOf(NioConnector.class, app.connector());
            assertEquals("http: hello", app.get("/hello").body());
        }
    }

    /** A factory whose connector is of the application's own making. */
    @Configuration
    @Import(HelloApplication.class)
    static class OwnConnector {
        @Bean
        JettyServletWebServerFactory factory() {
            return new JettyServletWebServerFactory() {
                @Override
                protected AbstractConnector createConnector(InetSocketAddress address, Server server) {
                    ServerConnector connector = new ServerConnector(server, 2, 3);
                    connector.setAcceptorPriorityDelta(-1);
                    connector.setIdleTimeout(1234);
                    connector.setInheritChannel(true);
                    return connector;
                }
            };
        }
    }

    @Test
    void whatTheApplicationHasMadeOfItsConnectorIsTakenOver() {
        try (RunningApp app = RunningApp.start(OwnConnector.class)) {
            NioConnector connector = assertInstanceOf(NioConnector.class, app.connector());
            assertEquals(2, connector.getAcceptors());
            assertEquals(3, connector.getSelectors());
            assertEquals(-1, connector.getAcceptorPriorityDelta());
            assertEquals(1234, connector.getIdleTimeout());
            assertTrue(connector.isInheritChannel());
        }
        try (RunningApp app = RunningApp.start(
                OwnConnector.class, "--millrace.connector=bio", "--server.jetty.threads.acceptors=1")) {
            assertEquals(1, app.connector().getAcceptors(), "the property says so");
        }
    }
}
