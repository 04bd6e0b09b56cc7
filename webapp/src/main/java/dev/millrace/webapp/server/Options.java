package dev.millrace.webapp.server;

import dev.millrace.connector.BioConnector;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.eclipse.jetty.server.Server;
import org.jspecify.annotations.Nullable;

/**
 * The checked options of one run, given as {@code --option value} or {@code --option=value}. The last one of a name
 * counts. No library parses them, because its reflection would take a large part of the time to the first response.
 * Immutable after {@link #parse}.
 */
final class Options {
    private final Map<Option, String> values = new EnumMap<>(Option.class);
    private @Nullable Supplier<String> information;

    private Options() {}

    /**
     * Parses and checks a command line.
     *
     * @param args the command line
     * @return the options; words after {@code --help} or {@code --version} are ignored
     * @throws UsageException when an option is unknown, or its value is missing or wrong
     */
    static Options parse(String... args) throws UsageException {
        Options options = new Options();
        for (Iterator<String> rest = List.of(args).iterator(); rest.hasNext(); ) {
            String arg = rest.next();
            if (arg.equals("--help") || arg.equals("-h")) {
                options.information = Options::help;
                return options;
            }
            if (arg.equals("--version") || arg.equals("-V")) {
                options.information = Options::version;
                return options;
            }
            int equals = arg.startsWith("--") ? arg.indexOf('=') : -1;
            String flag = equals < 0 ? arg : arg.substring(0, equals);
            Option option = Option.byFlag(flag)
                    .orElseThrow(() -> new UsageException("unknown option " + quote(flag) + ", see --help"));
            if (equals < 0 && !rest.hasNext()) {
                throw new UsageException(flag + " needs a value, see --help");
            }
            options.put(option, equals < 0 ? rest.next() : arg.substring(equals + 1));
        }
        if (options.number(Option.BIO_PORT) < 0
                && options.number(Option.NIO_PORT) < 0
                && options.number(Option.STOCK_PORT) < 0) {
            throw new UsageException("all listeners are off, see --help");
        }
        return options;
    }

    private void put(Option option, String value) throws UsageException {
        Optional<String> fault = option.check.fault(value);
        if (fault.isPresent()) {
            throw new UsageException(option.flag() + ": " + quote(value) + " " + fault.get());
        }
        values.put(option, value);
    }

    /** A value in quotes, without control characters, so that the message stays one line. */
    private static String quote(String value) {
        return '"' + value.replaceAll("\\p{Cntrl}", "?") + '"';
    }

    /** The text of {@code --help} or {@code --version}, to be printed instead of serving. */
    Optional<String> information() {
        return Optional.ofNullable(information).map(Supplier::get);
    }

    boolean has(Option option) {
        return values.containsKey(option);
    }

    String text(Option option) {
        return values.getOrDefault(option, option.defaultValue);
    }

    int number(Option option) {
        return Integer.parseInt(text(option));
    }

    private static String version() {
        return String.format(
                "Millrace %s, Jetty %s, Java %s%n",
                BioConnector.class.getPackage().getImplementationVersion(), Server.getVersion(), Runtime.version());
    }

    static String help() {
        StringBuilder help = new StringBuilder("""
            Usage: java -jar millrace.war [options]

            Serves one application through a blocking listener, a selector listener and, for comparison, Jetty's own:
            / (page), /generate-uuid, /files/, /files/catalog.json, /download?name=, /hello, /stats.

            Options, as --option value or --option=value:
            """);
        for (Option option : Option.values()) {
            String flag = option.flag() + " " + option.placeholder;
            String standard = option.defaultValue.isEmpty() ? "" : " [" + option.defaultValue + "]";
            help.append(String.format("  %-24s %s%s%n", flag, option.meaning, standard));
        }
        help.append(String.format("  %-24s %s%n", "--help, -h", "this text"));
        help.append(String.format("  %-24s %s%n", "--version, -V", "the versions of Millrace, Jetty and Java"));
        return help.append("""

            Exit codes: 0 done, 1 could not start, 2 wrong option, 143 stopped by SIGTERM. Logs go to stderr.
            """).toString();
    }
}
