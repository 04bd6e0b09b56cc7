package dev.millrace.spring;

import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.jetty.JettyServerCustomizer;
import org.springframework.boot.jetty.JettyWebServerFactory;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundleKey;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.ssl.SslStoreBundle;
import org.springframework.boot.web.server.Ssl;

/**
 * Makes a server use the certificates of its SSL bundle when they change, for connections that come after that. Spring
 * Boot does so for Tomcat and Netty.
 *
 * @param factory made the server, and knows the bundle
 */
record BundleReload(JettyWebServerFactory factory) implements JettyServerCustomizer {
    private static final Logger LOG = LoggerFactory.getLogger(BundleReload.class);

    @Override
    public void customize(Server server) {
        Ssl ssl = factory.getSsl();
        SslBundles bundles = factory.getSslBundles();
        if (!Ssl.isEnabled(ssl) || ssl.getBundle() == null || bundles == null) {
            return;
        }
        String name = ssl.getBundle();
        for (Connector connector : server.getConnectors()) {
            SslConnectionFactory tls = connector.getConnectionFactory(SslConnectionFactory.class);
            if (tls != null) {
                bundles.addBundleUpdateHandler(name, changed -> reload(name, tls.getSslContextFactory(), changed));
            }
        }
    }

    private static void reload(String name, SslContextFactory.Server context, SslBundle changed) {
        try {
            changed.getKey().assertContainsAlias(changed.getStores().getKeyStore());
            // A bad bundle must fail here, because a context that fails to load serves nobody.
            changed.createSslContext();
            KeyPairs.check(changed);
            context.reload(reloading -> set(context, changed.getKey(), changed.getStores()));
            LOG.info("Using the changed SSL bundle '{}'", name);
        } catch (Exception x) {
            LOG.error("Going on with what SSL bundle '{}' was before: the changed one cannot be used", name, x);
        }
    }

    private static void set(SslContextFactory.Server context, SslBundleKey key, SslStoreBundle stores) {
        if (stores.getKeyStorePassword() != null) {
            context.setKeyStorePassword(stores.getKeyStorePassword());
        }
        if (key.getPassword() != null) {
            context.setKeyManagerPassword(key.getPassword());
        }
        context.setCertAlias(key.getAlias());
        context.setKeyStore(stores.getKeyStore());
        context.setTrustStore(stores.getTrustStore());
    }
}
