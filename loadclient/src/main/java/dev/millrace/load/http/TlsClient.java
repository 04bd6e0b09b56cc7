package dev.millrace.load.http;

import java.io.IOException;
import java.net.Socket;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/**
 * The TLS of one client's connections to one server, one after the other. It has sessions of its own, for a session ticket
 * is used once (RFC 8446 appendix C.4). Clients with shared sessions would take them from each other. Used by
 * one thread.
 */
public final class TlsClient {

    private final TlsSettings settings;
    private final String host;
    private final int port;
    private final List<String> protocols;
    private CheckedTrust trust;
    private SSLContext context;

    /**
     * A client.
     *
     * @param settings  how connections are made
     * @param server    its host must be that of the certificate
     * @param protocols application protocols that are offered (RFC 7301); empty for none
     */
    TlsClient(TlsSettings settings, Target server, List<String> protocols) {
        this.settings = settings;
        this.host = server.host();
        this.port = server.address().getPort();
        this.protocols = List.copyOf(protocols);
        this.trust = new CheckedTrust(settings.trust());
        this.context = TlsSettings.newContext(trust);
    }

    /**
     * What a handshake came to. Immutable.
     *
     * @param nanos    its length
     * @param resumed  whether it resumed a session
     * @param version  such as {@code TLSv1.3}
     * @param cipher   the cipher suite
     * @param protocol the application protocol; empty for none
     */
    public record Handshake(long nanos, boolean resumed, String version, String cipher, String protocol) {}

    /** A connection after its handshake. */
    record Secured(SSLSocket socket, Handshake handshake) {}

    /**
     * Makes the handshake on a connected socket. Closing the result closes the socket.
     *
     * @param timeoutMillis bound on each read of the handshake
     */
    Secured secure(Socket socket, int timeoutMillis) throws IOException {
        if (!settings.resume()) {
            trust = new CheckedTrust(settings.trust());
            context = TlsSettings.newContext(trust);
        }
        trust.hasChecked = false;
        long before = System.nanoTime();
        SSLSocket secured = (SSLSocket) context.getSocketFactory().createSocket(socket, host, port, true);
        secured.setSSLParameters(parameters(secured.getSSLParameters()));
        socket.setSoTimeout(timeoutMillis);
        secured.startHandshake();
        socket.setSoTimeout(0);
        long nanos = System.nanoTime() - before;
        SSLSession session = secured.getSession();
        return new Secured(
                secured,
                new Handshake(
                        nanos,
                        !trust.hasChecked,
                        session.getProtocol(),
                        session.getCipherSuite(),
                        secured.getApplicationProtocol()));
    }

    /** Why a connection could not be made, in words for people. */
    public static String reason(IOException failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof CertPathBuilderException) {
                return "its certificate is of no trusted authority (--cacert names one, --insecure accepts any)";
            }
            if (cause instanceof CertificateException && cause.getCause() == null) {
                return "its certificate does not fit: " + Failure.firstLine(cause) + " (--insecure accepts any)";
            }
        }
        return Failure.firstLine(failure);
    }

    private SSLParameters parameters(SSLParameters parameters) {
        if (!settings.versions().isEmpty()) {
            parameters.setProtocols(settings.versions().toArray(String[]::new));
        }
        if (!settings.ciphers().isEmpty()) {
            parameters.setCipherSuites(settings.ciphers().toArray(String[]::new));
        }
        if (settings.trust() != null) {
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
        }
        if (!protocols.isEmpty()) {
            parameters.setApplicationProtocols(protocols.toArray(String[]::new));
        }
        return parameters;
    }

    /**
     * Notes whether a certificate was checked. A server that resumes a session sends none (RFC 8446 section 2.2), and
     * the JDK has no other sign of it.
     */
    private static final class CheckedTrust extends X509ExtendedTrustManager {

        /** Null trusts any certificate. */
        private final @Nullable X509ExtendedTrustManager rule;

        private boolean hasChecked;

        CheckedTrust(@Nullable X509ExtendedTrustManager rule) {
            this.rule = rule;
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
                throws CertificateException {
            hasChecked = true;
            if (rule != null) {
                rule.checkServerTrusted(chain, type, socket);
            }
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {
            throw new UnsupportedOperationException("connections have sockets");
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {
            throw new UnsupportedOperationException("connections have sockets");
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {
            throw new UnsupportedOperationException("this is the client");
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {
            throw new UnsupportedOperationException("this is the client");
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {
            throw new UnsupportedOperationException("this is the client");
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return rule == null ? new X509Certificate[0] : rule.getAcceptedIssuers();
        }
    }
}
