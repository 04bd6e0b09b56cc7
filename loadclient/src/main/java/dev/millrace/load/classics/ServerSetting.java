package dev.millrace.load.classics;

import java.util.List;

/**
 * How a server is started.
 *
 * @param text     for people
 * @param listener BIO, NIO or STOCK of the sample application; of a peer its name
 * @param options  of the sample application; {@code {log}} and {@code {cores}} are filled in
 * @param java     the oldest JDK that has what it needs, 0 for any
 * @param optional whether a sample application may be too old to know these options
 * @param peer     whether it is another server than the sample application
 */
public record ServerSetting(String text, String listener, List<String> options, int java, boolean optional,
                            boolean peer) {

    /** Missing options are none. */
    public ServerSetting {
        options = options == null ? List.of() : List.copyOf(options);
    }
}
