package dev.millrace.peers;

import io.helidon.http.HeaderNames;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.staticcontent.FileSystemHandlerConfig;
import io.helidon.webserver.staticcontent.StaticContentFeature;

/** Helidon: a virtual thread for each connection; {@code /hello} is a handler, and there is no UUID service. */
final class HelidonPeer implements Peer {
    private WebServer server;

    @Override
    public int start(Settings settings) {
        byte[] hello = HelloServlet.body();
        server = WebServer.builder()
            .host("127.0.0.1")
            .port(settings.port())
            .backlog(BACKLOG)
            .idleConnectionTimeout(IDLE_TIMEOUT)
            // By default Helidon's answers wait until the one before is acknowledged; those of the other JVMs do not.
            .connectionOptions(options -> options.tcpNoDelay(true))
            .shutdownHook(false)
            .routing(routing -> routing
                .get("/hello", (request, response) -> response
                    .header(HeaderNames.CONTENT_TYPE, HelloServlet.CONTENT_TYPE).send(hello))
                .register("/files", StaticContentFeature.createService(
                    FileSystemHandlerConfig.create(settings.directory()))))
            .build()
            .start();
        return server.port();
    }

    @Override
    public void stop() {
        server.stop();
    }
}
