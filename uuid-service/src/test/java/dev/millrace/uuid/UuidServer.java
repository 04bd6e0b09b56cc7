package dev.millrace.uuid;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Map;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/** The servlet in a Jetty server, and a client for it. */
final class UuidServer implements AutoCloseable {
    private final Server server = new Server();
    private final ServerConnector connector = new ServerConnector(server);
    private final HttpClient client = HttpClient.newHttpClient();

    UuidServer(Map<String, String> initParameters, Filter... filters) throws Exception {
        connector.setHost(InetAddress.getLoopbackAddress().getHostAddress());
        server.addConnector(connector);
        ServletHolder holder = new ServletHolder(new UuidServlet());
        holder.setInitParameters(initParameters);
        holder.setInitOrder(0);
        ServletContextHandler context = new ServletContextHandler();
        context.addServlet(holder, "/generate-uuid");
        for (Filter filter : filters) {
            context.addFilter(filter, "/*", EnumSet.of(DispatcherType.REQUEST));
        }
        server.setHandler(context);
        server.start();
    }

    int port() {
        return connector.getLocalPort();
    }

    HttpRequest.Builder request(String query) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + "/generate-uuid" + query))
                .timeout(Duration.ofSeconds(20));
    }

    HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
        return client.send(request.build(), BodyHandlers.ofString());
    }

    HttpResponse<String> get(String query) throws IOException, InterruptedException {
        return send(request(query));
    }

    HttpResponse<String> get(String query, String accept) throws IOException, InterruptedException {
        return send(request(query).header("Accept", accept));
    }

    HttpResponse<String> post(String document) throws IOException, InterruptedException {
        return send(request("").header("Content-Type", "text/xml").POST(BodyPublishers.ofString(document)));
    }

    @Override
    public void close() throws Exception {
        server.stop();
    }
}
