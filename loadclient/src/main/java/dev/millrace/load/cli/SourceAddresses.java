package dev.millrace.load.cli;

import static dev.millrace.load.cli.UsageException.require;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads lists and ranges of this machine's addresses. Stateless. */
final class SourceAddresses {

    private static final Pattern RANGE = Pattern.compile("(\\d+\\.\\d+\\.\\d+\\.)(\\d+)-(?:\\1)?(\\d+)");
    private static final int LAST = 255;
    private static final int MOST_DIGITS = 3;

    private SourceAddresses() {}

    /**
     * The addresses of {@code a,b} or {@code 127.0.0.1-127.0.0.8}.
     *
     * @throws UsageException if the text is no such list, or an address is not one of this machine
     */
    static List<InetAddress> parse(String text) {
        List<InetAddress> addresses = new ArrayList<>();
        for (String part : text.split(",")) {
            Matcher range = RANGE.matcher(part.strip());
            if (range.matches()) {
                int first = number(range.group(2), text);
                int last = number(range.group(3), text);
                require(
                        first <= last,
                        "--source-ip " + text + ": the range " + part.strip() + " ends before it begins");
                for (int i = first; i <= last; i++) {
                    addresses.add(address(range.group(1) + i));
                }
            } else {
                addresses.add(address(part.strip()));
            }
        }
        require(!addresses.isEmpty(), "--source-ip names no address: " + text);
        return addresses;
    }

    /** A number of more digits would not even fit an int. */
    private static int number(String digits, String text) {
        boolean fits = digits.length() <= MOST_DIGITS && Integer.parseInt(digits) <= LAST;
        require(fits, "--source-ip " + text + ": " + digits + " is above " + LAST + ", the end of an IPv4 address");
        return Integer.parseInt(digits);
    }

    private static InetAddress address(String text) {
        try {
            InetAddress address = InetAddress.getByName(text);
            require(
                    address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null,
                    "--source-ip " + text + " is not an address of this machine");
            return address;
        } catch (UnknownHostException | SocketException e) {
            throw new UsageException("--source-ip takes addresses of this machine, not " + text, e);
        }
    }
}
