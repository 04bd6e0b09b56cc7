package dev.millrace.load.run;

/**
 * What was counted in a cell.
 *
 * @param requests    verified answers inside the window
 * @param bytes       body bytes of verified answers that came inside the window
 * @param connections connections opened in the whole cell
 * @param cutOff      exchanges still going on when the drain was over; no error
 */
public record Counts(long requests, long bytes, long connections, long cutOff) {
}
