package dev.millrace.load.cli;

import static dev.millrace.load.cli.UsageException.require;

import com.fasterxml.jackson.core.JsonPointer;
import dev.millrace.load.scenario.Expectations;
import dev.millrace.load.scenario.Expectations.JsonValue;
import dev.millrace.load.scenario.Expectations.Statuses;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options for what the answers of any server must be. */
final class ExpectOptions {

    private static final int CODES_OF_CLASS = 100;

    @Option(
            names = "--expect-status",
            split = ",",
            defaultValue = "200",
            paramLabel = "CODE|2xx",
            description = "Status codes that are no errors (default: ${DEFAULT-VALUE}).")
    private List<String> statuses;

    @Option(names = "--expect-body-sha256", paramLabel = "HEX", description = "SHA-256 that each body must have.")
    private @Nullable String sha256;

    @Option(
            names = "--expect-json",
            paramLabel = "POINTER[=VALUE]",
            description = "A value that each body must hold as JSON, at a JSON pointer such as /items/0/id (RFC 6901); "
                    + "an empty pointer takes any JSON.")
    private List<String> json = List.of();

    @Option(
            names = "--expect-xpath",
            paramLabel = "EXPRESSION",
            description = "An XPath 1.0 expression that must be true of each body as XML, such as 'count(//item)=3' or "
                    + "'//item[@id]'.")
    private List<String> xpaths = List.of();

    /** What the options say; an error of usage if they are wrong. */
    Expectations expectations() {
        require(
                sha256 == null || sha256.matches("[0-9a-fA-F]{64}"),
                "--expect-body-sha256 takes 64 hexadecimal digits, not " + sha256);
        xpaths.forEach(text -> UsageException.parse("--expect-xpath: ", () -> Expectations.compile(text)));
        return new Expectations(
                statuses.stream().map(ExpectOptions::statuses).toList(),
                sha256 == null ? null : sha256.toLowerCase(Locale.ROOT),
                json.stream().map(ExpectOptions::value).toList(),
                xpaths);
    }

    private static Statuses statuses(String text) {
        require(
                text.matches("[1-5](\\d\\d|[xX][xX])"),
                "--expect-status takes codes such as 204 and classes such as 2xx, not " + text);
        if (Character.isDigit(text.charAt(1))) {
            int code = Integer.parseInt(text);
            return new Statuses(code, code, text);
        }
        int first = Character.digit(text.charAt(0), 10) * CODES_OF_CLASS;
        return new Statuses(first, first + CODES_OF_CLASS - 1, text);
    }

    private static JsonValue value(String text) {
        int equals = text.indexOf('=');
        String pointer = equals < 0 ? text : text.substring(0, equals);
        require(
                pointer.isEmpty() || pointer.startsWith("/"),
                "--expect-json takes a JSON pointer such as /items/0/id, not " + pointer);
        return new JsonValue(JsonPointer.compile(pointer), equals < 0 ? null : text.substring(equals + 1));
    }
}
