package dev.millrace.load.run;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;

/**
 * What was counted in a cell. Exchanges that had not ended when the drain was over are {@code cutOff} and
 * {@code stalled} together; neither is an error.
 *
 * @param requests    verified answers: in the closed model those that came inside the window, in the open model those
 *                    to requests that were due in it
 * @param bytes       body bytes that came inside the window: of verified answers, and of downloads that were cut off,
 *                    whose content nobody checked
 * @param connections connections opened in the whole cell
 * @param cutOff      requests without an answer when the drain was over, which make a cell invalid; of downloads those
 *                    that were still receiving, which is as it should be
 * @param stalled     downloads that received nothing from the end of the window to that of the drain
 * @param unsent      in the open model, requests that were due in the window and not sent when the drain was over
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record Counts(long requests, long bytes, long connections, long cutOff, long stalled, long unsent) {

    /** Counts of a cell in which nothing stalled and everything was sent. */
    public Counts(long requests, long bytes, long connections, long cutOff) {
        this(requests, bytes, connections, cutOff, 0, 0);
    }
}
