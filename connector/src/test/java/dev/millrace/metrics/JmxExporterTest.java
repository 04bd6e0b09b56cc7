package dev.millrace.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Await;
import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.prometheus.jmx.JmxCollector;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.DataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Label;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.eclipse.jetty.jmx.MBeanContainer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Prometheus's JMX exporter with the rules of the documentation: it gives the meters of connectors that Micrometer gives. */
@Timeout(60)
class JmxExporterTest {
    private static final Path EXAMPLES = Path.of("..", "docs", "examples");
    private static final Pattern NAME = Pattern.compile("millrace_\\w+");
    private static final String CONNECTOR = "exported";

    /** Names with tags, as Prometheus has them, and their values. */
    private static Map<String, Double> exported() throws Exception {
        PrometheusRegistry prometheus = new PrometheusRegistry();
        new JmxCollector(EXAMPLES.resolve("jmx-exporter.yml").toFile()).register(prometheus);
        Map<String, Double> exported = new TreeMap<>();
        Predicate<String> ours = name -> name.startsWith("millrace");
        for (MetricSnapshot metric : prometheus.scrape(ours)) {
            String name = metric.getMetadata().getPrometheusName();
            for (DataPointSnapshot point : metric.getDataPoints()) {
                Set<String> tags = point.getLabels().stream()
                        .map(JmxExporterTest::tag)
                        .collect(Collectors.toCollection(TreeSet::new));
                // Other tests of this process may have connectors of their own.
                if (!tags.contains("connector=" + CONNECTOR)) {
                    continue;
                }
                if (point instanceof CounterDataPointSnapshot counter) {
                    exported.put(name + "_total" + tags, counter.getValue());
                } else {
                    exported.put(name + tags, ((GaugeDataPointSnapshot) point).getValue());
                }
            }
        }
        return exported;
    }

    private static String tag(Label label) {
        return label.getName() + "=" + label.getValue();
    }

    /** The same of Micrometer's meters, by the rules of its registry for Prometheus. */
    private static Set<String> meters(TestServer server) {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        new MillraceMetrics(server.server()).bindTo(registry);
        return registry.getMeters().stream()
                .map(Meter::getId)
                .filter(id -> id.getTag("connector") != null)
                .map(JmxExporterTest::nameInPrometheus)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static String nameInPrometheus(Meter.Id id) {
        String unit = id.getBaseUnit() == null ? "" : "_" + id.getBaseUnit();
        String total = id.getType() == Meter.Type.COUNTER ? "_total" : "";
        return id.getName().replace('.', '_')
                + unit
                + total
                + id.getTags().stream()
                        .map(tag -> tag.getKey() + "=" + tag.getValue())
                        .collect(Collectors.toCollection(TreeSet::new));
    }

    private static TestServer managed(Connectors connectors, MBeanContainer beans, int maxConnections)
            throws Exception {
        TestServer server = new TestServer(connectors::http);
        server.connector().setName(CONNECTOR);
        server.millrace().setMaxConnections(maxConnections);
        server.server().addBean(beans);
        return server.start(Handlers.hello());
    }

    @ParameterizedTest
    @MethodSource("dev.millrace.testing.Connectors#senders")
    void givesTheMetersOfAConnector(Connectors connectors) throws Exception {
        MBeanContainer beans = new MBeanContainer(ManagementFactory.getPlatformMBeanServer());
        try (TestServer server = managed(connectors, beans, 7);
                RawClient one = server.client();
                RawClient two = server.client()) {
            one.get("/").answer();
            two.get("/").answer();
            // The kernel has the bytes before they are counted.
            Await.until("bytes", () -> server.transfers().getCopiedBytes() > 0);
            Map<String, Double> exported = exported();
            assertEquals(meters(server), exported.keySet());
            assertEquals(2, exported.get("millrace_connections[connector=exported]"));
            assertEquals(7, exported.get("millrace_connections_max[connector=exported]"));
            assertEquals(50, exported.get("millrace_workers[connector=exported]"));
            assertTrue(
                    exported.get("millrace_sent_bytes_total[connector=exported, way=memory]") > 0, exported::toString);
        } finally {
            beans.destroy();
        }
    }

    /** 0 is no limit: above nine tenths of that there would always be an alert. */
    @Test
    void givesNoMostConnectionsWithoutALimit() throws Exception {
        MBeanContainer beans = new MBeanContainer(ManagementFactory.getPlatformMBeanServer());
        try (TestServer server = managed(Connectors.NIO, beans, 0)) {
            assertTrue(server.connector().isRunning());
            Map<String, Double> exported = exported();
            assertTrue(exported.containsKey("millrace_connections[connector=exported]"), exported::toString);
            assertFalse(exported.containsKey("millrace_connections_max[connector=exported]"), exported::toString);
        } finally {
            beans.destroy();
        }
    }

    @Test
    void givesAllThatAlertsWatch() throws Exception {
        Set<String> given = names("jmx-exporter.yml");
        Set<String> watched = names("alerts.yml");
        assertFalse(watched.isEmpty());
        assertTrue(given.containsAll(watched), () -> watched + " is more than " + given);
    }

    private static Set<String> names(String file) throws Exception {
        return NAME.matcher(Files.readString(EXAMPLES.resolve(file)))
                .results()
                .map(found -> found.group())
                .collect(Collectors.toSet());
    }
}
