package dev.millrace.examples.embedded;

import dev.millrace.connector.BioConnector;
import dev.millrace.connector.NioConnector;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.Callback;

/** A server with both connectors. */
public final class Embedded {
    private Embedded() {}

    static Server server(int bioPort, int nioPort) {
        Server server = new Server();

        BioConnector bio = new BioConnector(server);
        bio.setPort(bioPort);
        server.addConnector(bio);

        NioConnector nio = new NioConnector(server);
        nio.setPort(nioPort);
        nio.setMaxConnections(10_000);
        server.addConnector(nio);

        server.setHandler(new Hello());
        return server;
    }

    public static void main(String[] args) throws Exception {
        Server server = server(8080, 8081);
        server.setStopAtShutdown(true);
        server.start();
        server.join();
    }

    private static final class Hello extends Handler.Abstract.NonBlocking {
        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            Content.Sink.write(
                    response,
                    true,
                    "Hello by "
                            + request.getConnectionMetaData()
                                    .getConnector()
                                    .getClass()
                                    .getSimpleName(),
                    callback);
            return true;
        }
    }
}
