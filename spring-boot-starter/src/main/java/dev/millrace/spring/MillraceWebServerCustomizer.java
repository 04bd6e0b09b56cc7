package dev.millrace.spring;

import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.jetty.JettyServerCustomizer;
import org.springframework.boot.jetty.JettyWebServerFactory;
import org.springframework.boot.web.server.WebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.core.Ordered;

/** Makes a factory's servers use a connector of Millrace. It refuses factories of other servers than Jetty. */
final class MillraceWebServerCustomizer implements WebServerFactoryCustomizer<WebServerFactory>, Ordered {
    private final MillraceProperties properties;
    private final boolean isVirtualWanted;

    /**
     * A customizer by an application's properties.
     *
     * @param isVirtualWanted what spring.threads.virtual.enabled says
     */
    MillraceWebServerCustomizer(MillraceProperties properties, boolean isVirtualWanted) {
        this.properties = properties;
        this.isVirtualWanted = isVirtualWanted;
    }

    /**
     * The last place, after the customizers that set ports and TLS. What they add to the server still comes after what
     * this one adds.
     */
    @Override
    public int getOrder() {
        return LOWEST_PRECEDENCE;
    }

    @Override
    public void customize(WebServerFactory factory) {
        if (!(factory instanceof JettyWebServerFactory jetty)) {
            throw new MillraceConfigurationException(
                    "Millrace serves in Jetty, and the web server of this application is made by "
                            + factory.getClass().getName() + ".",
                    "Exclude the other server's starter, such as spring-boot-starter-tomcat, from the dependency that brings it. "
                            + "To serve without Millrace, set millrace.enabled=false.",
                    null);
        }
        List<JettyServerCustomizer> customizers = new ArrayList<>();
        customizers.add(new ConnectorReplacement(
                jetty, properties.connector(), new ConnectorSettings(properties, isVirtualWanted)));
        customizers.add(new BundleReload(jetty));
        customizers.add(new ServedFiles(properties.files(), properties.xsendfile()));
        customizers.addAll(jetty.getServerCustomizers());
        jetty.setServerCustomizers(customizers);
    }
}
