package dev.millrace.connector;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.util.EventListener;
import java.util.concurrent.Executor;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.NetworkConnector;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.IO;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;

/** A connector that gives up its port whenever it stops, or cannot start, and can be started after that. */
abstract class RestartableConnector extends ServerConnector {
    RestartableConnector(
            Server server,
            @Nullable Executor executor,
            @Nullable Scheduler scheduler,
            @Nullable ByteBufferPool bufferPool,
            int acceptors,
            int selectors,
            ConnectionFactory... factories) {
        super(server, executor, scheduler, bufferPool, acceptors, selectors, factories);
    }

    private @Nullable ServerSocketChannel listening() {
        return (ServerSocketChannel) getTransport();
    }

    // A server that cannot start closes what it has bound. Jetty keeps the closed channel, and accepts nothing later.
    @Override
    public void open() throws IOException {
        if (listening() == null) {
            super.open();
        } else if (!isOpen()) {
            openAgain();
            getEventListeners().forEach(this::tellOpen);
        }
    }

    /**
     * Takes over a channel that is bound already, in place of binding one; before start. The connector closes it.
     *
     * @param acceptChannel bound to an Internet address
     * @throws IOException when it is not bound
     * @throws IllegalArgumentException when it is bound to a Unix-domain path
     */
    @Override
    public void open(ServerSocketChannel acceptChannel) throws IOException {
        SocketAddress address = acceptChannel.getLocalAddress();
        if (address != null && !(address instanceof InetSocketAddress)) {
            throw new IllegalArgumentException("Cannot listen at the Unix-domain path " + address
                    + ": use Jetty's UnixDomainServerConnector for that");
        }
        super.open(acceptChannel);
    }

    private void openAgain() throws IOException {
        ServerSocketChannel channel = openAcceptChannel();
        try {
            open(channel);
        } catch (Throwable x) {
            // Jetty refuses it while it runs, and then does not know the channel.
            IO.close(channel);
            throw x;
        }
    }

    private void tellOpen(EventListener listener) {
        if (listener instanceof NetworkConnector.Listener network) {
            try {
                network.onOpen(this);
            } catch (Throwable x) {
                // Jetty too only logs what a listener throws.
                LOG.debug("{} fails to hear that {} is open", listener, this, x);
            }
        }
    }

    // Without acceptors, Jetty leaves the channel to the selectors, which know it only after a start.
    @Override
    public void close() {
        super.close();
        if (isStopped() || isFailed()) {
            IO.close(listening());
        }
    }

    // In a pause of accepting the selectors do not know the channel either.
    @Override
    protected void doStop() throws Exception {
        ServerSocketChannel stopped = listening();
        try {
            super.doStop();
        } finally {
            IO.close(stopped);
        }
    }
}
