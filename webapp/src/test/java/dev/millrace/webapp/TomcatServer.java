package dev.millrace.webapp;

import java.nio.file.Path;
import org.apache.catalina.startup.Tomcat;

/** Tomcat with one WAR at its root, in a JVM of its own, whose class path holds only Tomcat. */
final class TomcatServer {
    private TomcatServer() {}

    /** Takes the WAR and a working folder, and prints the port when it is ready. */
    public static void main(String[] args) throws Exception {
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(args[1]);
        tomcat.setHostname("127.0.0.1");
        tomcat.setPort(0);
        tomcat.getConnector().setProperty("address", "127.0.0.1");
        tomcat.addWebapp("", Path.of(args[0]).toAbsolutePath().toString());
        tomcat.start();
        System.out.println(
                "Tomcat listening on http://127.0.0.1:" + tomcat.getConnector().getLocalPort());
        tomcat.getServer().await();
    }
}
