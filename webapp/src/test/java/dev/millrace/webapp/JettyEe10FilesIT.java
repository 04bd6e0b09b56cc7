package dev.millrace.webapp;

/** The WAR in Jetty's EE 10 environment with module millrace-files. */
class JettyEe10FilesIT extends JettyHomeContract {
    JettyEe10FilesIT() {
        super("ee10", "millrace-files");
    }
}
