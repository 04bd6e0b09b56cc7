package dev.millrace.webapp;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.Random;

/** A web application that consists of files, and knows neither this project's classes nor sendfile. */
final class PlainWar {
    static final int BYTES = 300_000;

    private PlainWar() {}

    /** Writes the WAR. */
    static Path write(Path war) throws IOException {
        return write(war, "");
    }

    /** Writes the WAR with a servlet of module millrace-ee11 at {@code /sent/*}. */
    static Path writeSending(Path war) throws IOException {
        return write(war, """
            <servlet><servlet-name>sent</servlet-name>
              <servlet-class>dev.millrace.ee11.SendfileServlet</servlet-class>
              <init-param><param-name>debugHeader</param-name><param-value>true</param-value></init-param></servlet>
            <servlet-mapping><servlet-name>sent</servlet-name><url-pattern>/sent/*</url-pattern></servlet-mapping>
            """);
    }

    /** Writes the WAR with {@link NamingServlet} at {@code /name}. */
    static Path writeNaming(Path war) throws IOException {
        write(war, """
            <servlet><servlet-name>name</servlet-name>
              <servlet-class>dev.millrace.webapp.NamingServlet</servlet-class></servlet>
            <servlet-mapping><servlet-name>name</servlet-name><url-pattern>/name</url-pattern></servlet-mapping>
            """);
        String name = NamingServlet.class.getName().replace('.', '/') + ".class";
        try (FileSystem zip = FileSystems.newFileSystem(war);
                InputStream code = NamingServlet.class.getResourceAsStream("/" + name)) {
            Path target = zip.getPath("WEB-INF/classes", name);
            Files.createDirectories(target.getParent());
            Files.copy(code, target);
        }
        return war;
    }

    private static Path write(Path war, String servlets) throws IOException {
        byte[] bytes = new byte[BYTES];
        new Random(1).nextBytes(bytes);
        try (FileSystem zip = FileSystems.newFileSystem(URI.create("jar:" + war.toUri()), Map.of("create", "true"))) {
            Path root = zip.getPath("/");
            Files.createDirectories(root.resolve("WEB-INF"));
            Files.writeString(root.resolve("WEB-INF/web.xml"), """
                <web-app xmlns="https://jakarta.ee/xml/ns/jakartaee" version="6.0" metadata-complete="true">
                  %s
                  <welcome-file-list><welcome-file>index.html</welcome-file></welcome-file-list>
                </web-app>
                """.formatted(servlets));
            Files.writeString(root.resolve("index.html"), "<p>root</p>");
            Files.write(root.resolve("big.bin"), bytes);
            Files.writeString(root.resolve("small.txt"), "small");
            Files.createDirectories(root.resolve("folder"));
            Files.writeString(root.resolve("folder/index.html"), "<p>" + "folder ".repeat(20_000) + "</p>");
            Files.createDirectories(root.resolve("list"));
            Files.write(root.resolve("list/inner.bin"), bytes);
        }
        return war;
    }

    /**
     * Deploys the WAR in Jetty's distribution with its name as context path. A {@code ResourceServlet} at {@code
     * /resource/*} serves files in addition to the {@code DefaultServlet}.
     */
    static void deploy(Path war, Path base, String name, String environment) throws IOException {
        Path webapps = Files.createDirectories(base.resolve("webapps"));
        Files.writeString(webapps.resolve(name + ".properties"), "environment=" + environment + "\n");
        Path descriptor = Files.writeString(base.resolve(name + ".xml"), """
            <?xml version="1.0"?>
            <!DOCTYPE Configure PUBLIC "-//Jetty//Configure//EN" "https://jetty.org/configure_10_0.dtd">
            <Configure class="org.eclipse.jetty.%1$s.webapp.WebAppContext">
              <Set name="contextPath">/%2$s</Set>
              <Set name="war">%3$s</Set>
              <Call name="addServlet">
                <Arg>
                  <New class="org.eclipse.jetty.%1$s.servlet.ServletHolder">
                    <Arg type="String">resource</Arg>
                    <Arg><New class="org.eclipse.jetty.%1$s.servlet.ResourceServlet"/></Arg>
                  </New>
                </Arg>
                <Arg>/resource/*</Arg>
              </Call>
            </Configure>
            """.formatted(environment, name, war));
        // A server that runs may look at the folder between the creation of a file and its content.
        Files.move(descriptor, webapps.resolve(name + ".xml"), StandardCopyOption.ATOMIC_MOVE);
    }
}
