package dev.millrace.webapp;

/** The WAR in Jetty's EE 10 environment with module millrace-xsendfile. */
class JettyEe10XsendfileIT extends JettyHomeContract {
    JettyEe10XsendfileIT() {
        super("ee10", "millrace-xsendfile");
    }
}
