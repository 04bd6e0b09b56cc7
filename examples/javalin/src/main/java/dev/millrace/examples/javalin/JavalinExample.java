package dev.millrace.examples.javalin;

import dev.millrace.connector.BioConnector;
import io.javalin.Javalin;
import org.eclipse.jetty.server.HttpConnectionFactory;

/** Javalin on a blocking connector. */
public final class JavalinExample {
    private JavalinExample() {}

    static Javalin application(int port) {
        return Javalin.create(config -> {
            config.jetty.addConnector((server, http) -> {
                BioConnector connector = new BioConnector(server, new HttpConnectionFactory(http));
                connector.setPort(port);
                return connector;
            });
            config.routes.get("/hello", context -> context.result("Hello from Javalin"));
        });
    }

    public static void main(String[] args) {
        application(8080).start();
    }
}
