package dev.millrace.spring;

import dev.millrace.files.SendfileSettings;
import dev.millrace.files.ServerSendfile;
import dev.millrace.xsendfile.XSendfileHandler;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.handler.ContextHandler;
import org.springframework.boot.jetty.JettyServerCustomizer;

/**
 * Puts what sends files into a server: behind Jetty's own servlets, and next to the application, inside of a compression.
 *
 * @param files how they are sent
 * @param xsendfile which of them answers may name
 */
record ServedFiles(MillraceProperties.Files files, MillraceProperties.Xsendfile xsendfile)
        implements JettyServerCustomizer {
    @Override
    public void customize(Server server) {
        if (files.enabled()) {
            ServerSendfile sendfile = new ServerSendfile(server);
            configure(sendfile.getSettings());
            server.addBean(sendfile);
        }
        if (files.enabled() || xsendfile.isUsed()) {
            XSendfileHandler handler = new XSendfileHandler();
            configure(handler.getSettings());
            handler.setFieldsRead(xsendfile.isUsed());
            handler.setAttributeRead(files.enabled());
            xsendfile.roots().forEach(handler::addRoot);
            xsendfile.mappings().forEach((prefix, directory) -> addMapping(handler, prefix, directory));
            innermost(server).insertHandler(handler);
        }
    }

    private void configure(SendfileSettings settings) {
        settings.setMaxOpenFiles(files.maxOpen());
        settings.setMaxCacheBytes(Math.toIntExact(files.cacheSize().toBytes()));
        settings.setMaxCachedFileBytes(Math.toIntExact(files.maxCachedFileSize().toBytes()));
        settings.setDebugHeader(files.debugHeader());
    }

    /** @return whose handler is the application */
    private static Handler.Singleton innermost(Server server) {
        Handler.Singleton outer = server;
        while (outer.getHandler() instanceof Handler.Singleton inner && !(inner instanceof ContextHandler)) {
            outer = inner;
        }
        return outer;
    }

    private static void addMapping(XSendfileHandler handler, String prefix, String directory) {
        try {
            handler.addMapping(prefix, directory);
        } catch (IllegalArgumentException x) {
            throw new MillraceConfigurationException(
                    "The property millrace.xsendfile.mappings cannot have the key \"" + prefix + "\": " + x.getMessage()
                            + ".",
                    "Write the prefix with its slashes in brackets, as in millrace.xsendfile.mappings[/protected/]="
                            + directory + ".",
                    x);
        }
    }
}
