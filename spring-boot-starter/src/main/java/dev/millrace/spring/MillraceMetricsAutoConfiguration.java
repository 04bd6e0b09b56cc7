package dev.millrace.spring;

import dev.millrace.metrics.MillraceMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import org.eclipse.jetty.server.Server;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.jetty.JettyWebServer;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;

/**
 * Binds the meters of the application's server, where there is a registry. Those of the server of {@code
 * management.server.port} are not bound.
 */
@AutoConfiguration(
        afterName = "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration")
@ConditionalOnWebApplication
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean(MeterRegistry.class)
@Conditional(SwitchedOn.Millrace.class)
public final class MillraceMetricsAutoConfiguration {
    MillraceMetricsAutoConfiguration() {}

    @Bean
    ApplicationListener<WebServerInitializedEvent> millraceMetrics(MeterRegistry registry) {
        return new Binding(registry);
    }

    /**
     * Binds the meters at the event, when a server has its connectors. The event comes again, with the same server,
     * when the context is started again.
     */
    private static final class Binding implements ApplicationListener<WebServerInitializedEvent> {
        private final MeterRegistry registry;
        private @Nullable Server bound;

        Binding(MeterRegistry registry) {
            this.registry = registry;
        }

        @Override
        public void onApplicationEvent(WebServerInitializedEvent event) {
            if (event.getWebServer() instanceof JettyWebServer web
                    && web.getServer() != bound
                    && event.getApplicationContext().getServerNamespace() == null) {
                bound = web.getServer();
                new MillraceMetrics(bound).bindTo(registry);
            }
        }
    }
}
