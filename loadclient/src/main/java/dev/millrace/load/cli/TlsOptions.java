package dev.millrace.load.cli;

import static dev.millrace.load.cli.UsageException.require;

import dev.millrace.load.http.TlsSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options for TLS connections, which https URLs have. */
final class TlsOptions {

    /** The names of all these options, for a note where they have no effect. */
    static final List<String> NAMES = List.of("--cacert", "--insecure", "--tls-versions", "--ciphers", "--tls-resume");

    @Option(
            names = "--cacert",
            paramLabel = "FILE",
            description = "Certificates of the authorities to trust, in PEM (default: those of the JDK).")
    private @Nullable Path authorities;

    @Option(names = "--insecure", description = "Accepts any certificate, for any host.")
    private boolean insecure;

    @Option(
            names = "--tls-versions",
            split = ",",
            paramLabel = "VERSION",
            description = "Versions to offer, such as 1.3,1.2 (default: those of the JDK).")
    private List<String> versions = List.of();

    @Option(
            names = "--ciphers",
            split = ",",
            paramLabel = "SUITE",
            description = "Cipher suites to offer, such as TLS_AES_128_GCM_SHA256 (default: those of the JDK).")
    private List<String> ciphers = List.of();

    @Option(
            names = "--tls-resume",
            defaultValue = "on",
            paramLabel = "on|off",
            description = "Whether a client resumes its TLS session on its next connection, or makes a full handshake "
                    + "for each (default: ${DEFAULT-VALUE}).")
    private String resume;

    /** What the options say; an error of usage if they are wrong. */
    TlsSettings settings() {
        require(authorities == null || !insecure, "--cacert and --insecure exclude each other");
        require(resume.equals("on") || resume.equals("off"), "--tls-resume takes on or off");
        List<String> names = versions.stream()
                .map(version -> version.startsWith("TLS") ? version : "TLSv" + version)
                .toList();
        requireAll("--tls-versions", names, TlsSettings.supportedVersions());
        requireAll("--ciphers", ciphers, TlsSettings.supportedCiphers());
        return new TlsSettings(trust(), names, ciphers, resume.equals("on"));
    }

    /** What the options change, for the report; empty for nothing. */
    String describe() {
        List<String> changes = new ArrayList<>();
        if (insecure) {
            changes.add("any certificate");
        }
        if (!versions.isEmpty()) {
            changes.add("versions " + String.join(", ", versions));
        }
        if (!ciphers.isEmpty()) {
            changes.add("cipher suites " + String.join(", ", ciphers));
        }
        if (resume.equals("off")) {
            changes.add("no resumption");
        }
        return String.join("; ", changes);
    }

    private static void requireAll(String option, List<String> values, List<String> supported) {
        for (String value : values) {
            require(
                    supported.contains(value),
                    option + ": this Java has " + String.join(", ", supported) + ", not " + value);
        }
    }

    private @Nullable X509ExtendedTrustManager trust() {
        if (insecure) {
            return null;
        }
        if (authorities == null) {
            return TlsSettings.trustJdk();
        }
        require(Files.isRegularFile(authorities), "no such file: " + authorities);
        try {
            return TlsSettings.trust(authorities);
        } catch (IOException e) {
            throw new UsageException("--cacert: " + e.getMessage(), e);
        }
    }
}
