package dev.millrace.load.http;

/** When the steps of one exchange happened, in {@link System#nanoTime()}; 0 when a step did not happen. One thread. */
public final class Timing {

    long headerByte;
    long bodyByte;
    long end;
    long bodyBytes;

    void reset() {
        headerByte = 0;
        bodyByte = 0;
        end = 0;
        bodyBytes = 0;
    }

    /** This exchange went on with the answer of another one: first bytes are those of that, bytes those of both. */
    public void goOnWith(Timing part) {
        headerByte = part.headerByte;
        bodyByte = part.bodyByte;
        bodyBytes += part.bodyBytes;
    }

    /** First byte of the answer's head. */
    public long headerByte() {
        return headerByte;
    }

    /** First byte of the body; of an empty body, the end. */
    public long bodyByte() {
        return bodyByte;
    }

    /** Last byte of the body. */
    public long end() {
        return end;
    }

    /** Bytes of the body seen so far, chunked coding taken off. */
    public long bodyBytes() {
        return bodyBytes;
    }
}
