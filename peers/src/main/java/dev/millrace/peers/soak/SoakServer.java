package dev.millrace.peers.soak;

import dev.millrace.connector.BioConnector;
import dev.millrace.connector.IdleTlsMemory;
import dev.millrace.connector.NioConnector;
import dev.millrace.connector.TlsConnectionFactory;
import dev.millrace.files.SendfileContentFactory;
import dev.millrace.files.SendfileHandler;
import dev.millrace.xsendfile.XSendfileHandler;
import java.io.InputStream;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.zip.CRC32;
import org.eclipse.jetty.alpn.server.ALPNServerConnectionFactory;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.http2.server.HTTP2ServerConnectionFactory;
import org.eclipse.jetty.io.ArrayByteBufferPool;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.server.handler.ContextHandler;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jspecify.annotations.Nullable;

/**
 * The server of a soak: one kind of connector, with and without TLS, HTTP/1.1 and HTTP/2 on both.
 *
 * <p>{@code SoakServer KIND DIRECTORY KEYSTORE} takes {@code bio-platform}, {@code bio-virtual}, {@code nio} or {@code
 * stock} as its kind. It serves {@code /files/*}, {@code /x/*} (the same by X-Sendfile), and {@code /upload}, which
 * answers the CRC-32 of what was sent. Figures are at {@code /stats} (connections, direct and mapped memory in KiB),
 * {@code /threads} and {@code /memory}.
 */
public final class SoakServer {
    static final String PASSWORD = "soak-password";
    private static final int KIBIBYTE = 1024;

    private SoakServer() {}

    public static void main(String[] args) throws Exception {
        if (args.length != 3) {
            System.err.println("usage: SoakServer bio-platform|bio-virtual|nio|stock DIRECTORY KEYSTORE");
            System.exit(2);
        }
        Server server = new Server(pool(), null, new ArrayByteBufferPool());
        HttpConfiguration configuration = new HttpConfiguration();
        // Without the check of SNI: the load asks for 127.0.0.1, and an address is no name of a certificate.
        configuration.addCustomizer(new SecureRequestCustomizer(false));
        HttpConnectionFactory http = new HttpConnectionFactory(configuration);
        ServerConnector clear = connector(args[0], server, http, new HTTP2CServerConnectionFactory(configuration));
        SslContextFactory.Server keys = new SslContextFactory.Server();
        keys.setKeyStorePath(args[2]);
        keys.setKeyStorePassword(PASSWORD);
        ServerConnector secure = connector(
                args[0],
                server,
                args[0].equals("stock")
                        ? new SslConnectionFactory(keys, "alpn")
                        : new TlsConnectionFactory(keys, "alpn"),
                new ALPNServerConnectionFactory("h2", "http/1.1"),
                new HTTP2ServerConnectionFactory(configuration),
                http);
        server.setHandler(new Handler.Sequence(files(args[1]), delegated(args[1]), new Upload(), new Stats()));
        server.start();
        System.out.println("listening on http://127.0.0.1:" + clear.getLocalPort() + " https://127.0.0.1:"
                + secure.getLocalPort());
    }

    // Jetty's defaults, except that idle threads end soon: one in a minute, 200 would take three hours.
    private static QueuedThreadPool pool() {
        QueuedThreadPool threads = new QueuedThreadPool();
        threads.setName("pool");
        threads.setIdleTimeout(10_000);
        threads.setMaxEvictCount(threads.getMaxThreads());
        return threads;
    }

    private static ServerConnector connector(String kind, Server server, ConnectionFactory... protocols) {
        ServerConnector connector = switch (kind) {
            case "bio-platform", "bio-virtual" -> {
                BioConnector bio = new BioConnector(server, protocols);
                bio.setThreads(kind.substring("bio-".length()));
                yield bio;
            }
            case "nio" -> new NioConnector(server, -1, -1, protocols);
            case "stock" -> new ServerConnector(server, protocols);
            default -> throw new IllegalArgumentException("no such kind: " + kind);
        };
        connector.setHost("127.0.0.1");
        connector.setAcceptQueueSize(1000);
        server.addConnector(connector);
        return connector;
    }

    private static Handler files(String directory) {
        ContextHandler context = new ContextHandler(new SendfileHandler(), "/files");
        context.setBaseResourceAsString(directory);
        return context;
    }

    private static Handler delegated(String directory) {
        XSendfileHandler sendfile = new XSendfileHandler(new Handler.Abstract() {
            @Override
            public boolean handle(Request request, Response response, Callback callback) {
                String path = Request.getPathInContext(request);
                if (!path.startsWith("/x/")) {
                    return false;
                }
                response.getHeaders()
                        .put("X-Sendfile", Path.of(directory, path.substring(3)).toString());
                callback.succeeded();
                return true;
            }
        });
        sendfile.addRoot(directory);
        return sendfile;
    }

    /** Reads blocking, as servlets do. */
    private static final class Upload extends Handler.Abstract {
        @Override
        public boolean handle(Request request, Response response, Callback callback) throws Exception {
            if (!Request.getPathInContext(request).equals("/upload")) {
                return false;
            }
            CRC32 sum = new CRC32();
            try (InputStream in = Content.Source.asInputStream(request)) {
                byte[] block = new byte[4096];
                for (int read = in.read(block); read >= 0; read = in.read(block)) {
                    sum.update(block, 0, read);
                }
            }
            response.write(true, StandardCharsets.US_ASCII.encode(Long.toHexString(sum.getValue())), callback);
            return true;
        }
    }

    private static final class Stats extends Handler.Abstract {
        @Override
        public boolean handle(Request request, Response response, Callback callback) throws Exception {
            @Nullable String text = switch (Request.getPathInContext(request)) {
                case "/stats" -> figures();
                case "/threads" -> threads();
                case "/memory" -> memory();
                default -> null;
            };
            if (text == null) {
                return false;
            }
            response.write(true, ByteBuffer.wrap((text + "\n").getBytes(StandardCharsets.UTF_8)), callback);
            return true;
        }

        // It counts from -1, so that the connection that asks is left out.
        private String figures() throws Exception {
            int connections = -1;
            for (Connector connector : getServer().getConnectors()) {
                connections += connector.getConnectedEndPoints().size();
            }
            return connections + " " + buffers("direct") + " " + buffers("mapped");
        }

        private static long buffers(String pool) {
            return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                    .filter(bean -> bean.getName().equals(pool))
                    .mapToLong(bean -> bean.getMemoryUsed() / KIBIBYTE)
                    .sum();
        }

        /** What is known of the memory outside the heap, and what TLS keeps, in KiB. */
        private String memory() {
            long pool = getServer().getByteBufferPool() instanceof ArrayByteBufferPool buffers
                    ? buffers.getDirectMemory()
                    : 0;
            long contents = getServer().getContainedBeans(SendfileContentFactory.class).stream()
                    .mapToLong(SendfileContentFactory::getCachedBytes)
                    .sum();
            long tls = getServer().getContainedBeans(IdleTlsMemory.class).stream()
                    .mapToLong(IdleTlsMemory::getIdleBytes)
                    .sum();
            return "Jetty's pool " + pool / KIBIBYTE + ", files in content caches " + contents / KIBIBYTE
                    + ", TLS on the heap and outside " + tls / KIBIBYTE;
        }

        /** Threads by name, without their numbers. */
        private static String threads() {
            Map<String, Long> names = new TreeMap<>(Thread.getAllStackTraces().keySet().stream()
                    .map(thread -> thread.getName().replaceAll("[0-9a-f]{6,}|[0-9]+", "N"))
                    .collect(Collectors.groupingBy(name -> name, Collectors.counting())));
            return names.toString();
        }
    }
}
