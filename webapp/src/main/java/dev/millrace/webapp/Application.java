package dev.millrace.webapp;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterRegistration;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletContextEvent;
import jakarta.servlet.ServletContextListener;
import jakarta.servlet.ServletRegistration;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;

/**
 * Sets the application up: finds the folder to serve, and serves it by {@link FilesServlet} unless the server brought
 * a servlet named {@code files} of its own.
 *
 * <p>The folder is, in this order: the context attribute {@link Attributes#FILES}, the system property or context
 * parameter {@code millrace.files}, or a set of generated files in the context's temporary folder.
 */
public final class Application implements ServletContextListener {
    private static final String FILES_PARAMETER = "millrace.files";
    private static final String ROOT = FileRoot.class.getName();
    private static final String DOWNLOADS = Delivery.class.getName();

    @Override
    public void contextInitialized(ServletContextEvent event) {
        ServletContext context = event.getServletContext();
        try {
            context.setAttribute(ROOT, FileRoot.of(folder(context)));
            context.setAttribute(DOWNLOADS, new Delivery(context));
        } catch (IOException e) {
            throw new UncheckedIOException("no folder of files to serve: " + e.getMessage(), e);
        }
        ServletRegistration.Dynamic files = context.addServlet("files", FilesServlet.class);
        if (files != null) {
            files.addMapping("/files/*");
            files.setAsyncSupported(true);
            ServersFiles.register(context);
        }
        if (context.getAttribute(Attributes.LISTENERS) == null) {
            countRequests(context);
        }
    }

    private static void countRequests(ServletContext context) {
        RequestCounter counter = new RequestCounter();
        FilterRegistration.Dynamic filter = context.addFilter("requests", counter);
        filter.setAsyncSupported(true);
        filter.addMappingForUrlPatterns(EnumSet.of(DispatcherType.REQUEST), false, "/*");
        context.setAttribute(Attributes.LISTENERS, counter);
    }

    static FileRoot fileRoot(ServletContext context) {
        return (FileRoot) context.getAttribute(ROOT);
    }

    /** How {@code /download} sends its files. */
    static Delivery downloads(ServletContext context) {
        return (Delivery) context.getAttribute(DOWNLOADS);
    }

    private static Path folder(ServletContext context) throws IOException {
        if (context.getAttribute(Attributes.FILES) instanceof Path given) {
            return given;
        }
        String named = System.getProperty(FILES_PARAMETER, context.getInitParameter(FILES_PARAMETER));
        if (named != null) {
            return Path.of(named);
        }
        File temporary = (File) context.getAttribute(ServletContext.TEMPDIR);
        Path samples = Files.createDirectories(temporary.toPath().resolve("files"));
        SampleFiles.write(samples);
        return samples;
    }
}
