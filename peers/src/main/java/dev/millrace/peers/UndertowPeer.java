package dev.millrace.peers;

import io.undertow.Handlers;
import io.undertow.Undertow;
import io.undertow.UndertowOptions;
import io.undertow.server.HttpHandler;
import io.undertow.server.handlers.resource.PathResourceManager;
import io.undertow.util.Headers;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.xnio.Options;

/**
 * Undertow's core, without servlets: {@code /hello} is a handler in the connection's thread, and there is no UUID
 * service. Files of 1 KiB and more go by the kernel.
 */
final class UndertowPeer implements Peer {
    private static final long MIN_TRANSFER_BYTES = 1024;

    private Undertow undertow;

    @Override
    public int start(Settings settings) {
        Undertow.Builder builder = Undertow.builder()
                .addHttpListener(settings.port(), "127.0.0.1")
                .setServerOption(UndertowOptions.NO_REQUEST_TIMEOUT, (int) IDLE_TIMEOUT.toMillis())
                .setSocketOption(Options.BACKLOG, BACKLOG)
                .setHandler(Handlers.path()
                        .addExactPath("/hello", hello())
                        .addPrefixPath(
                                "/files",
                                Handlers.resource(PathResourceManager.builder()
                                        .setBase(settings.directory())
                                        .setTransferMinSize(MIN_TRANSFER_BYTES)
                                        .build())));
        if (settings.maxThreads() > 0) {
            builder.setWorkerThreads(settings.maxThreads());
        }
        undertow = builder.build();
        undertow.start();
        return ((InetSocketAddress) undertow.getListenerInfo().get(0).getAddress()).getPort();
    }

    private static HttpHandler hello() {
        ByteBuffer body = ByteBuffer.allocateDirect(HelloServlet.body().length)
                .put(HelloServlet.body())
                .flip();
        return exchange -> {
            exchange.getResponseHeaders().put(Headers.CONTENT_TYPE, HelloServlet.CONTENT_TYPE);
            exchange.getResponseSender().send(body.duplicate());
        };
    }

    @Override
    public void stop() {
        undertow.stop();
    }
}
