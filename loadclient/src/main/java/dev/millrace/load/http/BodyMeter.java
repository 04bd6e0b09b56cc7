package dev.millrace.load.http;

/** Told of body bytes as they come, so that a download counts while it runs. Called by the connection's thread. */
@FunctionalInterface
public interface BodyMeter {

    /** So many more bytes of the body were read. */
    void bytes(int count);
}
