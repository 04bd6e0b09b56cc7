package dev.millrace.spring;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.thread.Threading;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.web.servlet.resource.ResourceHttpRequestHandler;

/** Puts a connector of Millrace into the Jetty of Spring Boot, unless {@code millrace.enabled} is false. */
@AutoConfiguration
@ConditionalOnWebApplication
@Conditional(SwitchedOn.Millrace.class)
@EnableConfigurationProperties(MillraceProperties.class)
public final class MillraceAutoConfiguration {
    MillraceAutoConfiguration() {}

    @Bean
    MillraceWebServerCustomizer millraceWebServerCustomizer(MillraceProperties properties, Environment environment) {
        return new MillraceWebServerCustomizer(properties, Threading.VIRTUAL.isActive(environment));
    }

    /** Makes Spring MVC leave static resources that are files to the server. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ResourceHttpRequestHandler.class)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    @Conditional(SwitchedOn.Files.class)
    static class StaticResources {
        @Bean
        static StaticResourcePostProcessor millraceStaticResources() {
            return new StaticResourcePostProcessor();
        }
    }
}
