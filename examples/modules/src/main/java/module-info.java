/** A server that runs on the module path. */
module dev.millrace.examples.modules {
    requires dev.millrace.connector;
    requires dev.millrace.uuid;
    requires org.eclipse.jetty.ee11.servlet;
}
