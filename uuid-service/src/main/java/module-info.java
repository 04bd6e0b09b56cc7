/**
 * The UUID web service. Its servlet is the only public type, and its libraries for XML, JSON and UUIDs are not visible
 * to users of this module.
 */
module dev.millrace.uuid {
    requires transitive jakarta.servlet;
    requires java.xml;
    requires com.ctc.wstx;
    requires com.fasterxml.jackson.core;
    requires com.fasterxml.uuid;
    requires org.codehaus.stax2;
    requires static org.jspecify;
    // StaxMate names no module, so that this is the name of its jar.
    requires staxmate;

    exports dev.millrace.uuid;
}
