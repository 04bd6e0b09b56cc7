package dev.millrace.connector;

import dev.millrace.testing.Connectors;
import dev.millrace.transfer.TransferStatistics;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;

/** A server in a process of its own, which opens as many files as it can when it is told to. Prints its port. */
final class FewDescriptors {
    /** Jetty's connector without an acceptor, as {@link Connectors#NIO_HANDOFF} has none. */
    static final String STOCK_SELECTOR_ACCEPTS = "STOCK_SELECTOR_ACCEPTS";

    private FewDescriptors() {}

    private static final class Hoard extends Handler.Abstract {
        private final List<FileInputStream> files = new ArrayList<>();

        @Override
        public synchronized boolean handle(Request request, Response response, Callback callback) throws Exception {
            switch (Request.getPathInContext(request)) {
                case "/exhaust" -> {
                    try {
                        while (true) {
                            files.add(new FileInputStream("/dev/null"));
                        }
                    } catch (IOException exhausted) {
                        // That was the last one.
                    }
                }
                case "/release" -> {
                    for (FileInputStream file : files) {
                        file.close();
                    }
                    files.clear();
                }
                default -> {
                    // Answers, as to the others.
                }
            }
            Content.Sink.write(response, true, "fine", callback);
            return true;
        }
    }

    // A class that is read from a folder takes a descriptor.
    private static void load(Class<?> one) throws Exception {
        Path classes =
                Path.of(one.getProtectionDomain().getCodeSource().getLocation().toURI());
        Path folder = classes.resolve(one.getPackageName().replace('.', '/'));
        if (Files.isDirectory(folder)) {
            try (Stream<Path> all = Files.list(folder)) {
                for (Path file :
                        all.filter(f -> f.toString().endsWith(".class")).toList()) {
                    Class.forName(one.getPackageName() + "."
                            + file.getFileName().toString().replace(".class", ""));
                }
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        load(BioConnector.class);
        load(TransferStatistics.class);
        Server server = new Server();
        ServerConnector connector = arguments[0].equals(STOCK_SELECTOR_ACCEPTS)
                ? new ServerConnector(server, 0, 1)
                : Connectors.valueOf(arguments[0]).http(server);
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        server.setHandler(new Hoard());
        server.start();
        System.out.println(connector.getLocalPort());
        // Until the test lets go of it.
        System.in.read();
        server.stop();
        System.exit(0);
    }
}
