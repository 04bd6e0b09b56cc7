/**
 * Connectors and file serving for Eclipse Jetty 12.1. Users name the types of the exported packages; what is not exported may change
 * with any release.
 *
 * <p>Jetty exports neither its connection of HTTP/1.1 nor the state of it, which the connectors look at. On the module path the
 * JVM needs {@code --add-exports org.eclipse.jetty.server/org.eclipse.jetty.server.internal=dev.millrace.connector}. Files behind an
 * {@code EventsHandler} are copied unless it has
 * {@code --add-opens org.eclipse.jetty.server/org.eclipse.jetty.server.handler=dev.millrace.connector} too.
 *
 * <p>The types of a module that is only required for compiling are used where a server has that module.
 */
module dev.millrace.connector {
    requires transitive org.eclipse.jetty.server;
    requires com.github.benmanes.caffeine;
    requires java.net.http;
    // Tells how many files a process may open.
    requires jdk.management;
    // Ends mappings of files before JDK 22.
    requires jdk.unsupported;
    requires static jdk.jfr;
    requires static micrometer.core;
    requires static org.eclipse.jetty.client;
    requires static org.eclipse.jetty.ee11.servlet;
    requires static org.eclipse.jetty.http2.server;
    requires static org.eclipse.jetty.xml;
    requires static org.jspecify;

    exports dev.millrace.connector;
    exports dev.millrace.files;
    exports dev.millrace.metrics;
    exports dev.millrace.monitor;
    exports dev.millrace.transfer;
    exports dev.millrace.xsendfile;
}
