package dev.millrace.examples.modules;

import dev.millrace.connector.MillraceConnector;
import dev.millrace.connector.NioConnector;
import dev.millrace.files.SendfileHandler;
import dev.millrace.uuid.UuidServlet;
import java.nio.file.Path;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.resource.ResourceFactory;

/** Serves UUIDs at {@code http://127.0.0.1:8080/generate-uuid}, and the files of a directory. */
public final class UuidServer {

    private UuidServer() {}

    /** Serves until the JVM is stopped. */
    public static void main(String[] args) throws Exception {
        Server server = new Server();
        serve(server, Path.of(args.length == 0 ? "." : args[0]));
        MillraceConnector connector = new NioConnector(server);
        connector.setPort(8080);
        server.addConnector(connector);
        server.start();
        server.join();
    }

    /** Lets that server, which is yet to be started, serve UUIDs and the files of that directory. */
    static void serve(Server server, Path directory) {
        SendfileHandler files = new SendfileHandler();
        files.setBaseResource(ResourceFactory.of(server).newResource(directory));
        ServletContextHandler context = new ServletContextHandler();
        context.addServlet(new ServletHolder(new UuidServlet()), "/generate-uuid");
        server.setHandler(new Handler.Sequence(files, context));
    }
}
