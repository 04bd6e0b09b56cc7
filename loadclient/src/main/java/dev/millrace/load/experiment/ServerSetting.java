package dev.millrace.load.experiment;

import java.util.List;

/**
 * The settings that a server is started with. Immutable.
 *
 * @param text     name for people
 * @param listener BIO, NIO or STOCK of the sample application; the name of a peer
 * @param options  options of the sample application; {@code {log}} and {@code {cores}} are replaced
 * @param java     oldest JDK that it runs on; 0 for any
 * @param optional whether an old sample application may not know these options
 * @param peer     whether it is another server than the sample application
 */
public record ServerSetting(
        String text, String listener, List<String> options, int java, boolean optional, boolean peer) {

    /** Replaces missing options by an empty list. */
    public ServerSetting {
        options = options == null ? List.of() : List.copyOf(options);
    }
}
