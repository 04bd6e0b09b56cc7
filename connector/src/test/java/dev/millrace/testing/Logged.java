package dev.millrace.testing;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.eclipse.jetty.logging.JettyLevel;
import org.eclipse.jetty.logging.JettyLogger;
import org.eclipse.jetty.logging.StdErrAppender;
import org.slf4j.LoggerFactory;

/** What a class logs as a warning or worse, until closed; the tests' own configuration keeps it quiet. */
public final class Logged implements AutoCloseable {
    private final JettyLogger logger;
    private final StdErrAppender appender;
    private final JettyLevel level;
    private final PrintStream stream;
    private final ByteArrayOutputStream lines = new ByteArrayOutputStream();

    /** @param logger the name of a class, or of a package */
    public Logged(String logger) {
        this(logger, JettyLevel.WARN);
    }

    /** What it logs at this level or a worse one. */
    public Logged(String logger, JettyLevel least) {
        this.logger = (JettyLogger) LoggerFactory.getLogger(logger);
        appender = (StdErrAppender) this.logger.getAppender();
        level = this.logger.getLevel();
        stream = appender.getStream();
        appender.setStream(new PrintStream(lines, true, StandardCharsets.UTF_8));
        this.logger.setLevel(least);
    }

    /** How many lines hold this text. */
    public long count(String text) {
        return lines.toString(StandardCharsets.UTF_8)
                .lines()
                .filter(line -> line.contains(text))
                .count();
    }

    @Override
    public void close() {
        logger.setLevel(level);
        appender.setStream(stream);
    }
}
