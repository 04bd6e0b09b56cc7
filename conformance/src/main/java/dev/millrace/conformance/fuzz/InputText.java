package dev.millrace.conformance.fuzz;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads and writes inputs as one line of text. {@code \r}, {@code \n}, {@code \t}, {@code \0}, {@code \\} and {@code
 * \xHH} are bytes, and <code>{text*count}</code> is a text so many times. <code>\|</code> is a cut after which the
 * input goes on at once. {@code \~} is a cut after which it goes on when the server rests. {@code \$} at the end of the
 * line means that the client's output ends at once. Stateless.
 */
final class InputText {
    private static final Pattern REPEAT = Pattern.compile("\\{(.+?)\\*(\\d+)}");

    private InputText() {}

    static Input parse(String line) {
        String text = REPEAT.matcher(line)
                .replaceAll(match -> Matcher.quoteReplacement(match.group(1).repeat(Integer.parseInt(match.group(2)))));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        List<Input.Cut> cuts = new ArrayList<>();
        boolean endsAtOnce = false;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c != '\\') {
                bytes.write(c);
                continue;
            }
            c = text.charAt(++i);
            switch (c) {
                case 'r' -> bytes.write('\r');
                case 'n' -> bytes.write('\n');
                case 't' -> bytes.write('\t');
                case '0' -> bytes.write(0);
                case '\\' -> bytes.write('\\');
                case 'x' -> {
                    bytes.write(Integer.parseInt(text.substring(i + 1, i + 3), 16));
                    i += 2;
                }
                case '|', '~' -> cuts.add(new Input.Cut(bytes.size(), c == '~'));
                case '$' -> endsAtOnce = true;
                default -> throw new IllegalArgumentException("no escape: \\" + c);
            }
        }
        return new Input(bytes.toByteArray(), cuts, endsAtOnce);
    }

    static String format(Input input) {
        StringBuilder text = new StringBuilder();
        int cut = 0;
        byte[] bytes = input.bytes();
        for (int i = 0; i < bytes.length; i++) {
            while (cut < input.cuts().size() && input.cuts().get(cut).position() == i) {
                text.append(input.cuts().get(cut++).atRest() ? "\\~" : "\\|");
            }
            append(text, bytes[i]);
        }
        return input.endsAtOnce() ? text.append("\\$").toString() : text.toString();
    }

    /** Bytes without cuts. */
    static String format(byte[] bytes) {
        return format(new Input(bytes, List.of(), false));
    }

    private static void append(StringBuilder text, byte b) {
        switch (b) {
            case '\r' -> text.append("\\r");
            case '\n' -> text.append("\\n");
            case '\t' -> text.append("\\t");
            case '\\' -> text.append("\\\\");
            default -> {
                // A brace could begin a repetition.
                if (b < ' ' || b > '~' || b == '{') {
                    text.append(String.format("\\x%02x", b & 0xff));
                } else {
                    text.append((char) b);
                }
            }
        }
    }
}
