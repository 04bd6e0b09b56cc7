package dev.millrace.connector;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.testing.Handlers;
import dev.millrace.testing.Http2Frames;
import dev.millrace.testing.RawClient;
import dev.millrace.testing.TestServer;
import dev.millrace.testing.Tls;
import dev.millrace.testing.TlsPeer;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who the server says it is, to peers that name a host, and who a peer says it is. Jetty's own TLS is the control. */
class TlsIdentityContractTest extends TlsContract {
    private static final String OTHER_HOST = "other.example";
    private static final Tls HOSTS = Tls.withHost(OTHER_HOST);
    private static final Tls KNOWN = Tls.ofKnownClients();

    private TestServer server;

    TlsIdentityContractTest() {
        // More than one batch of records.
        super(600_000);
    }

    private TestServer start(SslContextFactory.Server context, Handler handler) throws Exception {
        server = server(ssl(context, HTTP));
        server.connector()
                .getConnectionFactory(HttpConnectionFactory.class)
                .getHttpConfiguration()
                .addCustomizer(new SecureRequestCustomizer());
        return server.start(handler);
    }

    private TestServer startHttp2(SslContextFactory.Server context, Handler handler) throws Exception {
        HttpConfiguration configuration = new HttpConfiguration();
        configuration.addCustomizer(new SecureRequestCustomizer());
        server = http2Server(ssl(context, ALPN), configuration);
        return server.start(handler);
    }

    private static String ask(TlsPeer peer, String host) throws IOException {
        peer.send("GET /file.bin HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n");
        return new String(peer.readAll(), ISO_8859_1);
    }

    /** Asks for a path of localhost. */
    private static byte[] askHttp2(RawClient client, String path) throws IOException {
        return new Http2Frames(client).openWindows().get(path).contentBytes();
    }

    private void assertIsWhole(String answer) {
        assertTrue(answer.startsWith("HTTP/1.1 200 OK\r\n"), () -> answer.substring(0, Math.min(300, answer.length())));
        byte[] all = answer.getBytes(ISO_8859_1);
        assertArrayEquals(bytes, Arrays.copyOfRange(all, answer.indexOf("\r\n\r\n") + 4, all.length));
    }

    /** Each host has its certificate, and a request for another one than was named is refused (RFC 6066 section 3). */
    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void aPeerNamesItsHost(String protocol) throws Exception {
        try (TestServer started = start(HOSTS.server(), Handlers.files(directory))) {
            for (String host : List.of("localhost", OTHER_HOST)) {
                try (TlsPeer peer = TlsPeer.naming(host, HOSTS, started.port(), protocol)) {
                    peer.handshake();
                    assertEquals("CN=" + host, peer.subjectOfServer());
                    assertIsWhole(ask(peer, host));
                }
            }
            try (TlsPeer peer = TlsPeer.naming(OTHER_HOST, HOSTS, started.port(), protocol)) {
                String answer = ask(peer.handshake(), "localhost");
                assertTrue(answer.startsWith("HTTP/1.1 4"), answer);
            }
            server.awaitNoEndPoints();
            assertNothingIsTaken();
        }
    }

    /** As {@link #aPeerNamesItsHost}. */
    @Test
    void aPeerOfHttp2NamesItsHost() throws Exception {
        try (TestServer started = startHttp2(HOSTS.server(), Handlers.files(directory))) {
            for (String host : List.of("localhost", OTHER_HOST)) {
                try (RawClient client = HOSTS.naming(host, new Socket("127.0.0.1", started.port()), "h2")) {
                    SSLSession session = ((SSLSocket) client.socket()).getSession();
                    assertEquals("CN=" + host, session.getPeerPrincipal().getName());
                    byte[] answer = askHttp2(client, "/file.bin");
                    if (host.equals(OTHER_HOST)) {
                        String refusal = new String(answer, ISO_8859_1);
                        assertTrue(refusal.contains("Invalid SNI"), refusal);
                    } else {
                        assertArrayEquals(bytes, answer);
                    }
                }
            }
            server.awaitNoEndPoints();
            assertNothingIsTaken();
        }
    }

    private static String subjectOfPeer(Request request) {
        EndPoint endPoint = request.getConnectionMetaData().getConnection().getEndPoint();
        X509Certificate[] shown = endPoint.getSslSessionData().peerCertificates();
        return shown[0].getSubjectX500Principal().getName();
    }

    /** Says whom it answers. */
    private static final class Named extends Handler.Wrapper {
        private Named(Handler files) {
            super(files);
        }

        @Override
        public boolean handle(Request request, Response response, Callback callback) throws Exception {
            response.getHeaders().put("X-Peer", subjectOfPeer(request));
            return super.handle(request, response, callback);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void aPeerShowsItsCertificate(String protocol) throws Exception {
        SslContextFactory.Server context = KNOWN.server();
        context.setNeedClientAuth(true);
        try (TestServer started = start(context, new Named(Handlers.files(directory)))) {
            try (TlsPeer peer = new TlsPeer(KNOWN, started.port(), protocol)) {
                String answer = ask(peer.handshake(), "localhost");
                assertTrue(answer.contains("\r\nX-Peer: CN=localhost\r\n"), answer);
                assertIsWhole(answer);
            }
            try (TlsPeer peer = new TlsPeer(tls, started.port(), protocol)) {
                IOException refused = assertThrows(IOException.class, () -> ask(peer.handshake(), "localhost"));
                assertNotNull(refused.getMessage());
            }
            server.awaitNoEndPoints();
            assertNothingIsTaken();
        }
    }

    @Test
    void aPeerOfHttp2ShowsItsCertificate() throws Exception {
        SslContextFactory.Server context = KNOWN.server();
        context.setNeedClientAuth(true);
        Handler subject = Handlers.of(
                (request, response, callback) -> Content.Sink.write(response, true, subjectOfPeer(request), callback));
        try (TestServer started = startHttp2(context, subject)) {
            try (RawClient client = KNOWN.over(new Socket("127.0.0.1", started.port()), "h2")) {
                assertEquals("CN=localhost", new String(askHttp2(client, "/"), ISO_8859_1));
            }
            IOException refused = assertThrows(IOException.class, () -> {
                try (RawClient client = tls.over(new Socket("127.0.0.1", started.port()), "h2")) {
                    askHttp2(client, "/");
                }
            });
            assertFalse(refused instanceof SocketTimeoutException, "no answer");
            server.awaitNoEndPoints();
            assertNothingIsTaken();
        }
    }
}
