package dev.millrace.spring;

import java.security.GeneralSecurityException;
import java.security.KeyException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.interfaces.RSAKey;
import java.util.Collections;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundle;

/**
 * The keys of a bundle and their certificates. They may be in two files, of which one has changed and the other has not
 * changed yet. Stateless.
 */
final class KeyPairs {
    private static final byte[] SIGNED = {1};

    private KeyPairs() {}

    /**
     * Makes sure that keys belong to their certificates. Loading does not show it, and every handshake would fail.
     *
     * @throws GeneralSecurityException when one does not
     */
    static void check(SslBundle bundle) throws GeneralSecurityException {
        KeyStore store = bundle.getStores().getKeyStore();
        if (store == null) {
            return;
        }
        String used = bundle.getKey().getAlias();
        for (String alias : Collections.list(store.aliases())) {
            if ((used == null || used.equalsIgnoreCase(alias))
                    && store.getKey(alias, password(bundle)) instanceof PrivateKey key
                    && !isOf(key, store.getCertificate(alias).getPublicKey())) {
                throw new KeyException("The key '" + alias + "' is not that of its certificate");
            }
        }
    }

    /** The password of a key, by the rule of Spring Boot: that of the store where the key has none. */
    private static char @Nullable [] password(SslBundle bundle) {
        String ofKey = bundle.getKey().getPassword();
        String password = ofKey == null ? bundle.getStores().getKeyStorePassword() : ofKey;
        return password == null ? null : password.toCharArray();
    }

    private static boolean isOf(PrivateKey key, PublicKey certified) throws GeneralSecurityException {
        if (key instanceof RSAKey rsa) {
            return certified instanceof RSAKey other && rsa.getModulus().equals(other.getModulus());
        }
        Signature signature = Signature.getInstance(
                switch (key.getAlgorithm()) {
                    case "RSA" -> "SHA256withRSA";
                    case "EC" -> "SHA256withECDSA";
                    default -> key.getAlgorithm();
                });
        signature.initSign(key);
        signature.update(SIGNED);
        byte[] signed = signature.sign();
        signature.initVerify(certified);
        signature.update(SIGNED);
        return signature.verify(signed);
    }
}
