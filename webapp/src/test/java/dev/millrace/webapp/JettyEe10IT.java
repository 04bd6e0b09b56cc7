package dev.millrace.webapp;

/** The WAR in Jetty's EE 10 environment. */
class JettyEe10IT extends JettyHomeContract {
    JettyEe10IT() {
        super("ee10");
    }
}
