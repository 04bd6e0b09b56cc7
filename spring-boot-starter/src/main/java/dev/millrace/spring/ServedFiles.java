package dev.millrace.spring;

import dev.millrace.files.SendfileSettings;
import dev.millrace.files.ServerSendfile;
import dev.millrace.xsendfile.XSendfileHandler;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.handler.ContextHandler;
import org.springframework.boot.jetty.JettyServerCustomizer;

/**
 * Puts what sends files into a server: behind Jetty's own servlets, and around the application, but inside of a
 * compression.
 *
 * @param files how files are sent
 * @param xsendfile which files answers may name
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
            handler.setMimeTypes(server.getMimeTypes());
            configure(handler.getSettings());
            handler.setFieldsRead(xsendfile.isUsed());
            handler.setAttributeRead(files.enabled());
            xsendfile.roots().forEach(root -> Setting.set("xsendfile.roots", root, handler::addRoot));
            xsendfile.mappings().forEach((prefix, directory) -> addMapping(handler, prefix, directory));
            innermost(server).insertHandler(handler);
        }
    }

    private void configure(SendfileSettings settings) {
        Setting.set("files.max-open", files.maxOpen(), settings::setMaxOpenFiles);
        Setting.setBytes("files.cache-size", files.cacheSize(), settings::setMaxCacheBytes);
        Setting.setBytes("files.max-cached-file-size", files.maxCachedFileSize(), settings::setMaxCachedFileBytes);
        settings.setDebugHeader(files.debugHeader());
    }

    /** The handler that holds the application. */
    private static Handler.Singleton innermost(Server server) {
        Handler.Singleton outer = server;
        while (outer.getHandler() instanceof Handler.Singleton inner && !(inner instanceof ContextHandler)) {
            outer = inner;
        }
        return outer;
    }

    private static void addMapping(XSendfileHandler handler, String prefix, String directory) {
        if (directory.isBlank()) {
            throw new MillraceConfigurationException(
                    "The property millrace.xsendfile.mappings[" + prefix + "] names no directory.",
                    "Give it a directory, or remove it.",
                    null);
        }
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
