package dev.millrace.examples.javalin;

import dev.millrace.connector.BioConnector;
import dev.millrace.files.SendfileHandler;
import io.javalin.Javalin;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.handler.ContextHandler;

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

    /** Has the kernel send the files of a folder. Called before the start. */
    static SendfileHandler serveFiles(Javalin application, String folder) {
        SendfileHandler files = new SendfileHandler();
        files.setBaseResourceAsString(folder);
        application.jettyServer().server().setHandler(new Handler.Sequence(new ContextHandler(files, "/static")));
        return files;
    }

    public static void main(String[] args) {
        application(8080).start();
    }
}
