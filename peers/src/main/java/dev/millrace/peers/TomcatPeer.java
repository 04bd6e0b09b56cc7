package dev.millrace.peers;

import dev.millrace.uuid.UuidServlet;
import jakarta.servlet.Servlet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.servlets.DefaultServlet;
import org.apache.catalina.startup.Tomcat;
import org.apache.coyote.http11.Http11NioProtocol;

/** Tomcat: its NIO connector, which sends files of 48 KiB and more by the kernel, and its DefaultServlet. */
final class TomcatPeer implements Peer {
    private final Tomcat tomcat = new Tomcat();
    private Path home;

    @Override
    public int start(Settings settings) throws Exception {
        home = Files.createTempDirectory("millrace-peers-");
        tomcat.setBaseDir(home.toString());
        tomcat.setConnector(connector(settings));
        Context application = tomcat.addContext("", null);
        add(application, new HelloServlet(), "hello", "/hello");
        add(application, new UuidServlet(), "uuid", "/generate-uuid");
        add(tomcat.addContext("/files", settings.directory().toString()), new DefaultServlet(), "default", "/");
        tomcat.start();
        return tomcat.getConnector().getLocalPort();
    }

    private static Connector connector(Settings settings) {
        Http11NioProtocol http = new Http11NioProtocol();
        http.setMaxKeepAliveRequests(-1);
        http.setConnectionTimeout((int) IDLE_TIMEOUT.toMillis());
        http.setMaxConnections(MAX_CONNECTIONS);
        http.setAcceptCount(BACKLOG);
        if (settings.maxThreads() > 0) {
            http.setMaxThreads(settings.maxThreads());
        }
        Connector connector = new Connector(http);
        connector.setProperty("address", "127.0.0.1");
        connector.setPort(settings.port());
        connector.setThrowOnFailure(true);
        return connector;
    }

    private static void add(Context context, Servlet servlet, String name, String pattern) {
        Tomcat.addServlet(context, name, servlet);
        context.addServletMappingDecoded(pattern, name);
    }

    @Override
    public void stop() throws LifecycleException, IOException {
        tomcat.stop();
        tomcat.destroy();
        try (Stream<Path> tree = Files.walk(home)) {
            for (Path path : tree.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
