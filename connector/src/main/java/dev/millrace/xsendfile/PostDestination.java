package dev.millrace.xsendfile;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.eclipse.jetty.http.HttpScheme;
import org.jspecify.annotations.Nullable;

/**
 * Where to post to, and as which user. What is shown of it, in a log or to JMX, is without the user and the password.
 *
 * @param uri without user information
 * @param authorization the value of the field; null without a user
 */
record PostDestination(URI uri, @Nullable String authorization) {
    /**
     * @param url absolute, of http or https; may hold a user and a password, percent-encoded
     * @throws IllegalArgumentException when it is no such URL; its message has nothing of what may be a password
     */
    static PostDestination of(String url) {
        URI uri;
        try {
            uri = new URI(url);
        } catch (URISyntaxException x) {
            throw invalid(url, x.getReason() + " at index " + x.getIndex());
        }
        if (!HttpScheme.HTTP.is(uri.getScheme()) && !HttpScheme.HTTPS.is(uri.getScheme())) {
            throw invalid(url, "not an http or https URL");
        }
        if (uri.getHost() == null) {
            // RFC 1123 section 2.1: letters, digits and hyphens. The JDK's client takes no other name either.
            throw invalid(url, "no host, or one with a character that names of hosts do not have, such as _");
        }
        String user = uri.getUserInfo();
        if (user == null) {
            return new PostDestination(uri, null);
        }
        URI bare = URI.create(uri.getScheme() + "://" + url.substring(url.indexOf('@') + 1));
        return new PostDestination(bare, user.isEmpty() ? null : basic(user.contains(":") ? user : user + ":"));
    }

    // The cause is left out too: it quotes the whole URL.
    private static IllegalArgumentException invalid(String url, String reason) {
        return new IllegalArgumentException(
                reason + (url.indexOf('@') < 0 ? ": " + url : "; not shown here, for it may hold a password"));
    }

    // RFC 7617, with the character set that servers ask for.
    private static String basic(String user) {
        return "Basic " + Base64.getEncoder().encodeToString(user.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public String toString() {
        return uri.toString();
    }
}
