package dev.millrace.load.run;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;

/**
 * The counts of a cell. An exchange that had not ended with the drain counts in {@code cutOff} or {@code stalled}, and
 * is no error. Immutable.
 *
 * @param requests    verified answers. In the closed model they are those that came inside the window, in the open model
 *                    those to requests that were due in it. The closed model has up to one latency more for each request
 *                    that a client has under way, see {@link Times}
 * @param bytes       body bytes that came inside the window, of verified answers and of downloads that were cut off.
 *                    The content of the latter is not checked
 * @param connections connections opened in the whole cell
 * @param cutOff      requests without an answer at the end of the drain, which make a cell invalid. Also downloads that
 *                    were still receiving then, which do not
 * @param stalled     downloads that received no byte from the end of the window to the end of the drain
 * @param unsent      in the open model, requests that were due in the window and not sent by the end of the drain
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record Counts(long requests, long bytes, long connections, long cutOff, long stalled, long unsent) {}
