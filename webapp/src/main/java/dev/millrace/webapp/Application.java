package dev.millrace.webapp;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
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
 * Sets the application up: finds the folder to serve, and maps {@link FilesServlet} unless the server has a servlet
 * named {@code files} of its own.
 *
 * <p>The context attribute {@link ContextAttributes#FILES} names the folder, or else the system property or context
 * parameter {@code millrace.files}. Without these, generated files are served from the context's temporary folder.
 */
public final class Application implements ServletContextListener {
    private static final String FILES_PARAMETER = "millrace.files";

    @Override
    public void contextInitialized(ServletContextEvent event) {
        ServletContext context = event.getServletContext();
        try {
            context.setAttribute(FileRoot.ATTRIBUTE, FileRoot.of(folder(context)));
            context.setAttribute(FileSender.DOWNLOADS, new FileSender(context));
        } catch (IOException e) {
            throw new UncheckedIOException("no folder of files to serve: " + e.getMessage(), e);
        }
        ServletRegistration.Dynamic files = context.addServlet("files", FilesServlet.class);
        if (files != null) {
            files.addMapping("/files/*");
            files.setAsyncSupported(true);
            ContainerFileServlet.register(context);
            addFilter(context, "methods", new AllowedMethods());
        }
        if (context.getAttribute(ContextAttributes.LISTENERS) == null) {
            countRequests(context);
        }
    }

    private static void countRequests(ServletContext context) {
        RequestCounter counter = new RequestCounter();
        addFilter(context, "requests", counter);
        context.setAttribute(ContextAttributes.LISTENERS, counter);
    }

    private static void addFilter(ServletContext context, String name, Filter filter) {
        FilterRegistration.Dynamic added = context.addFilter(name, filter);
        added.setAsyncSupported(true);
        added.addMappingForUrlPatterns(EnumSet.of(DispatcherType.REQUEST), false, "/*");
    }

    private static Path folder(ServletContext context) throws IOException {
        if (context.getAttribute(ContextAttributes.FILES) instanceof Path given) {
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
