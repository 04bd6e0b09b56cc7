package dev.millrace.load.http;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/**
 * How TLS connections are made. Immutable; safe for use by any thread.
 *
 * @param trust    checks the servers' certificates; null accepts any certificate for any host
 * @param versions enabled versions such as {@code TLSv1.3}; empty for those of the JDK
 * @param ciphers  enabled cipher suites; empty for those of the JDK
 * @param resume   whether a client resumes its session on its next connection (RFC 8446 section 2.2)
 */
public record TlsSettings(
        @Nullable X509ExtendedTrustManager trust, List<String> versions, List<String> ciphers, boolean resume) {

    /** The authorities, versions and cipher suites of the JDK, with resumption. */
    public static TlsSettings ofJdk() {
        return new TlsSettings(trustJdk(), List.of(), List.of(), true);
    }

    /**
     * Trusts the certificates of a PEM file, and no others.
     *
     * @throws IOException if the file holds no certificate; the message is for people
     */
    public static X509ExtendedTrustManager trust(Path pem) throws IOException {
        try (InputStream in = Files.newInputStream(pem)) {
            Collection<? extends Certificate> certificates =
                    CertificateFactory.getInstance("X.509").generateCertificates(in);
            if (certificates.isEmpty()) {
                throw new IOException("no certificate in " + pem);
            }
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            for (Certificate certificate : certificates) {
                store.setCertificateEntry("authority-" + store.size(), certificate);
            }
            return trust(store);
        } catch (CertificateException e) {
            throw new IOException("no certificate in " + pem + ": " + Failure.firstLine(e), e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has a key store", e);
        }
    }

    /** Trusts the JDK's authorities. */
    public static X509ExtendedTrustManager trustJdk() {
        return trust((KeyStore) null);
    }

    private static X509ExtendedTrustManager trust(@Nullable KeyStore authorities) {
        try {
            TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(authorities);
            for (TrustManager manager : factory.getTrustManagers()) {
                if (manager instanceof X509ExtendedTrustManager extended) {
                    return extended;
                }
            }
            throw new IllegalStateException(
                    "the JDK's trust managers are " + Arrays.toString(factory.getTrustManagers()));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the JDK cannot check certificates: " + Failure.firstLine(e), e);
        }
    }

    /** The versions that the JDK can speak. */
    public static List<String> supportedVersions() {
        return List.of(newContext(null).getSupportedSSLParameters().getProtocols());
    }

    /** The cipher suites that the JDK has. */
    public static List<String> supportedCiphers() {
        return List.of(newContext(null).getSupportedSSLParameters().getCipherSuites());
    }

    /** A context with sessions of its own. */
    static SSLContext newContext(@Nullable X509ExtendedTrustManager trust) {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust == null ? null : new TrustManager[] {trust}, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has TLS", e);
        }
    }
}
