package dev.millrace.examples.spring;

import dev.millrace.connector.BioConnector;
import dev.millrace.ee11.SendfileServlet;
import jakarta.servlet.http.HttpServletRequest;
import java.nio.file.Path;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.jetty.servlet.JettyServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Spring Boot on a blocking connector, with a servlet of files. */
@SpringBootApplication
@RestController
public class SpringExample {

    @Bean
    WebServerFactoryCustomizer<JettyServletWebServerFactory> millrace() {
        return factory -> factory.addServerCustomizers(SpringExample::replaceConnector);
    }

    /** Takes over what Spring has set: address, timeout, limit, and the protocols with TLS, HTTP/2 and their settings. */
    private static void replaceConnector(Server server) {
        ServerConnector given = (ServerConnector) server.getConnectors()[0];
        BioConnector connector =
                new BioConnector(server, given.getConnectionFactories().toArray(ConnectionFactory[]::new));
        connector.setDefaultProtocol(given.getDefaultProtocol());
        connector.setHost(given.getHost());
        connector.setPort(given.getPort());
        connector.setIdleTimeout(given.getIdleTimeout());
        NetworkConnectionLimit limit = server.getBean(NetworkConnectionLimit.class);
        if (limit != null) {
            // It watches the connector that is replaced.
            server.removeBean(limit);
            connector.setMaxConnections(limit.getMaxNetworkConnectionCount());
        }
        server.setConnectors(new Connector[] {connector});
    }

    /** Files by the kernel; Spring's own static resources are copies. */
    @Bean
    ServletRegistrationBean<SendfileServlet> files(@Value("${files.directory:files}") String directory) {
        ServletRegistrationBean<SendfileServlet> files =
                new ServletRegistrationBean<>(new SendfileServlet(), "/files/*");
        files.addInitParameter("baseResource", Path.of(directory).toUri().toString());
        files.addInitParameter("dirAllowed", "false");
        files.addInitParameter("debugHeader", "true");
        return files;
    }

    @GetMapping("/hello")
    String hello(HttpServletRequest request) {
        return request.getScheme() + ": Hello from Spring";
    }

    public static void main(String[] args) {
        SpringApplication.run(SpringExample.class, args);
    }
}
