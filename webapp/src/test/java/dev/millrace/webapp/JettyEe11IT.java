package dev.millrace.webapp;

/** The WAR in Jetty's EE 11 environment. */
class JettyEe11IT extends JettyHomeContract {
    JettyEe11IT() {
        super("ee11");
    }
}
