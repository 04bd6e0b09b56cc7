package dev.millrace.spring;

import org.eclipse.jetty.util.component.AbstractLifeCycle;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.springframework.boot.ssl.SslBundleKey;

/** Keeps a connector from starting whose key store lacks the key that is asked for, as Spring Boot's own connector does. */
final class KeyAliasCheck extends AbstractLifeCycle {
    private final SslContextFactory context;

    /** @param context started before this */
    KeyAliasCheck(SslContextFactory context) {
        this.context = context;
    }

    @Override
    protected void doStart() {
        SslBundleKey.of(null, context.getCertAlias()).assertContainsAlias(context.getKeyStore());
    }
}
