package dev.millrace.webapp;

/** The WAR in Jetty's EE 11 environment with module millrace-files. */
class JettyEe11FilesIT extends JettyHomeContract {
    JettyEe11FilesIT() {
        super("ee11", "millrace-files");
    }
}
