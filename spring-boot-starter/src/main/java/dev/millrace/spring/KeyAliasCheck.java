package dev.millrace.spring;

import org.eclipse.jetty.util.component.AbstractLifeCycle;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.springframework.boot.ssl.SslBundleKey;

/**
 * Stops the start of a connector whose key store lacks the configured key, as Spring Boot does for its own connector.
 */
final class KeyAliasCheck extends AbstractLifeCycle {
    private final SslContextFactory context;

    /**
     * A check of a context's key store.
     *
     * @param context started before this check
     */
    KeyAliasCheck(SslContextFactory context) {
        this.context = context;
    }

    @Override
    protected void doStart() {
        SslBundleKey.of(null, context.getCertAlias()).assertContainsAlias(context.getKeyStore());
    }
}
