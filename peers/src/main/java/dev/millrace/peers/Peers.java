package dev.millrace.peers;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** The servers by name. */
final class Peers {
    private static final Map<String, JettyPeer.Files> ON_JETTY = new LinkedHashMap<>();

    static {
        ON_JETTY.put("jetty", JettyPeer.Files.RESOURCE_HANDLER);
        ON_JETTY.put("jetty-servlet", JettyPeer.Files.DEFAULT_SERVLET);
        ON_JETTY.put("millrace-handler", JettyPeer.Files.SENDFILE_HANDLER);
        ON_JETTY.put("millrace-files", JettyPeer.Files.SENDFILE_HANDLER_ALONE);
        ON_JETTY.put("millrace-servlet", JettyPeer.Files.SENDFILE_SERVLET);
        ON_JETTY.put("millrace-default", JettyPeer.Files.ACCELERATED_DEFAULT_SERVLET);
    }

    private Peers() {}

    static Set<String> onJetty() {
        return ON_JETTY.keySet();
    }

    /**
     * The server of that name.
     *
     * @throws IllegalArgumentException when there is none, or this JDK cannot run it
     */
    static Peer of(String name) {
        if (ON_JETTY.containsKey(name)) {
            return new JettyPeer(ON_JETTY.get(name));
        }
        return switch (name) {
            case "tomcat" -> new TomcatPeer();
            case "undertow" -> new UndertowPeer();
            case "helidon" -> ofJava21(name, "HelidonPeer");
            case "virtual-threads" -> ofJava21(name, "VirtualThreadsPeer");
            default ->
                throw new IllegalArgumentException("no peer " + name + ": there are "
                        + String.join(", ", ON_JETTY.keySet()) + ", tomcat, undertow, helidon and virtual-threads");
        };
    }

    // The class is found by its name. It is in the jar only when a compiler of Java 21 has built that. Only a JVM of
    // that version
    // can read it.
    private static Peer ofJava21(String name, String className) {
        try {
            return Class.forName(Peers.class.getPackageName() + "." + className)
                    .asSubclass(Peer.class)
                    .getDeclaredConstructor()
                    .newInstance();
        } catch (ReflectiveOperationException | LinkageError x) {
            throw new IllegalArgumentException(name + " needs Java 21 or newer, to build this jar and to run it", x);
        }
    }
}
