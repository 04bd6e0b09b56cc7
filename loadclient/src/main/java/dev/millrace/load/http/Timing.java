package dev.millrace.load.http;

/** When the steps of one exchange happened, in {@link System#nanoTime()}; 0 for none. Used by one thread. */
public final class Timing {

    long headerByte;
    long bodyByte;
    long end;
    long bodyBytes;
    boolean bodyInOneRead;

    void reset() {
        bodyInOneRead = false;
        headerByte = 0;
        bodyByte = 0;
        end = 0;
        bodyBytes = 0;
    }

    /** Adds the first part of a resumed download: its first bytes count, and the bytes of both parts. */
    public void addFirstPart(Timing part) {
        headerByte = part.headerByte;
        bodyByte = part.bodyByte;
        bodyBytes += part.bodyBytes;
        bodyInOneRead = false;
    }

    /** First byte of the answer's head. */
    public long headerByte() {
        return headerByte;
    }

    /** First byte of the body; the end of the exchange if the body is empty. */
    public long bodyByte() {
        return bodyByte;
    }

    /** Last byte of the body. */
    public long end() {
        return end;
    }

    /** Whether the body, or all that there is of it, came by one read: its bytes have no time between them then. */
    public boolean bodyInOneRead() {
        return bodyInOneRead;
    }

    /** Bytes of the body so far, without those of the chunked coding. */
    public long bodyBytes() {
        return bodyBytes;
    }
}
