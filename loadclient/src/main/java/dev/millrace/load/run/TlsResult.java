package dev.millrace.load.run;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.util.Objects;

/**
 * TLS of a cell's connections. Immutable.
 *
 * @param version   version and cipher suite, such as {@code TLSv1.3 TLS_AES_256_GCM_SHA384}; several if connections
 *                  differed
 * @param full      full handshakes in the whole cell
 * @param resumed   handshakes in the whole cell that resumed a session
 * @param handshake length of the handshakes in the window, in microseconds
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record TlsResult(String version, long full, long resumed, Percentiles handshake) {

    /** Refuses a part that is missing: a damaged file is reported by the name of that part. */
    public TlsResult {
        Objects.requireNonNull(version, "no version");
        Objects.requireNonNull(handshake, "no handshake");
    }
}
