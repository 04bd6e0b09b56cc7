package dev.millrace.spring;

import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextType;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.thread.Threading;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.env.Environment;

/**
 * Puts a connector of Millrace into the server of {@code management.server.port}, whose context has its own
 * customizers. An application that excludes the auto-configuration has no {@link MillraceProperties}, and keeps Jetty's
 * connector there too.
 */
@ManagementContextConfiguration(value = ManagementContextType.CHILD, proxyBeanMethods = false)
@Conditional(SwitchedOn.Millrace.class)
@ConditionalOnBean(MillraceProperties.class)
final class MillraceManagementConfiguration {
    @Bean
    MillraceWebServerCustomizer millraceManagementServerCustomizer(
            MillraceProperties properties, Environment environment) {
        return new MillraceWebServerCustomizer(properties, Threading.VIRTUAL.isActive(environment));
    }
}
