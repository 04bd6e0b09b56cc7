package dev.millrace.load.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;

/** What the JDK says of a certificate lies deep in its exceptions. */
class TlsClientTest {

    private static IOException handshake(Exception cause) {
        IOException failure = new SSLHandshakeException("PKIX path validation failed: what nobody reads");
        failure.initCause(new CertificateException("PKIX path validation failed", cause));
        return failure;
    }

    @Test
    void theReasonIsOneClearLine() {
        assertEquals(
                "its certificate does not fit: NotAfter: Thu Jan 01 00:00:00 UTC 2026 (--insecure accepts any)",
                TlsClient.reason(handshake(new CertPathValidatorException(
                        "validity check failed",
                        new CertificateExpiredException("NotAfter: Thu Jan 01 00:00:00 UTC 2026")))));
        assertEquals(
                "its certificate is of no trusted authority (--cacert names one, --insecure accepts any)",
                TlsClient.reason(handshake(new CertPathBuilderException("unable to find valid certification path"))));
        assertEquals("Connection refused", TlsClient.reason(new IOException("Connection refused")));
    }
}
