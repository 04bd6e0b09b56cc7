package dev.millrace.connector;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.testing.Connectors;
import dev.millrace.testing.Handlers;
import dev.millrace.testing.Http2Frames;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.ProxyConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** What a proxy says of the client before the client's first byte, in both versions of the PROXY protocol, is believed. */
@ParameterizedClass
@MethodSource("dev.millrace.testing.Connectors#all")
@Timeout(60)
class ProxyProtocolContractTest {
    private static final byte[] SIGNATURE = {0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a};
    private static final int TCP_OVER_IPV4 = 0x11;
    private static final int TCP_OVER_IPV6 = 0x21;

    @Parameter
    Connectors connectors;

    private final HttpConfiguration configuration = new HttpConfiguration();
    private final HttpConnectionFactory http = new HttpConnectionFactory(configuration);

    /** Tells who asked, from which address and port, for what. */
    private final Handler mirror = Handlers.text(
            request -> request.getConnectionMetaData().getHttpVersion() + " " + Request.getRemoteAddr(request) + " "
                    + Request.getRemotePort(request) + " " + Request.getPathInContext(request));

    private TestServer server(ConnectionFactory... factories) throws Exception {
        return new TestServer(server -> connectors.on(server, factories)).start(mirror);
    }

    private static byte[] version2(int family, String source, String destination) throws Exception {
        byte[] from = InetAddress.getByName(source).getAddress();
        byte[] to = InetAddress.getByName(destination).getAddress();
        int length = from.length + to.length + 4;
        return ByteBuffer.allocate(16 + length)
                .put(SIGNATURE)
                .put((byte) 0x21)
                .put((byte) family)
                .putShort((short) length)
                .put(from)
                .put(to)
                .putShort((short) 1000)
                .putShort((short) 2000)
                .array();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static void assertBelieved(TestServer server, byte[] head, String peer) throws Exception {
        byte[] get = bytes("GET /1 HTTP/1.1\r\nHost: localhost\r\n\r\n");
        // The request comes with the proxy's words, or after them.
        try (RawClient together = server.client();
                RawClient apart = server.client().send(head)) {
            together.send(ByteBuffer.allocate(head.length + get.length)
                    .put(head)
                    .put(get)
                    .array());
            assertEquals("HTTP/1.1 " + peer + " 1000 /1", together.answer().text());
            assertEquals(
                    "HTTP/1.1 " + peer + " 1000 /2", apart.get("/2").answer().text());
            assertEquals(
                    "HTTP/1.1 " + peer + " 1000 /3", apart.get("/3").answer().text());
        }
    }

    @Test
    void believesBothVersions() throws Exception {
        try (TestServer server = server(new ProxyConnectionFactory(), http)) {
            assertBelieved(server, bytes("PROXY TCP4 10.1.2.3 10.4.5.6 1000 2000\r\n"), "10.1.2.3");
            assertBelieved(server, bytes("PROXY TCP6 2001:db8::1 2001:db8::2 1000 2000\r\n"), "[2001:db8:0:0:0:0:0:1]");
            assertBelieved(server, version2(TCP_OVER_IPV4, "10.9.8.7", "10.6.5.4"), "10.9.8.7");
            assertBelieved(server, version2(TCP_OVER_IPV6, "2001:db8::1", "2001:db8::2"), "[2001:db8:0:0:0:0:0:1]");
        }
    }

    @Test
    void believesItBeforeTls() throws Exception {
        Tls tls = new Tls();
        SslConnectionFactory ssl = connectors.tls(tls.server(), "http/1.1");
        for (byte[] head : new byte[][] {
            bytes("PROXY TCP4 10.1.2.3 10.4.5.6 1000 2000\r\n"), version2(TCP_OVER_IPV4, "10.1.2.3", "10.4.5.6")
        }) {
            try (TestServer server = server(new ProxyConnectionFactory(ssl.getProtocol()), ssl, http)) {
                Socket plain = new Socket("127.0.0.1", server.port());
                plain.getOutputStream().write(head);
                try (RawClient client = tls.over(plain)) {
                    assertEquals(
                            "HTTP/1.1 10.1.2.3 1000 /1",
                            client.get("/1").answer().text());
                    assertEquals(
                            "HTTP/1.1 10.1.2.3 1000 /2",
                            client.get("/2").answer().text());
                }
            }
        }
    }

    @Test
    void believesItBeforeHttp2() throws Exception {
        try (TestServer server =
                        server(new ProxyConnectionFactory("h2c"), new HTTP2CServerConnectionFactory(configuration));
                RawClient client = server.client()) {
            client.send("PROXY TCP4 10.1.2.3 10.4.5.6 1000 2000\r\n");
            assertEquals(
                    "HTTP/2.0 10.1.2.3 1000 /1",
                    new Http2Frames(client).get("/1").content());
        }
    }
}
