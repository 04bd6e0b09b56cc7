package dev.millrace.webapp;

/** The WAR in Jetty's EE 11 environment with module millrace-xsendfile. */
class JettyEe11XsendfileIT extends JettyHomeContract {
    JettyEe11XsendfileIT() {
        super("ee11", "millrace-xsendfile");
    }
}
