package dev.millrace.xsendfile;

/** Learns how the transfers of an {@link XSendfileHandler} end. */
@FunctionalInterface
public interface TransferListener {
    /** Called once for each transfer, by the thread that completed it: must return soon. What it throws is logged. */
    void onTransferEnd(TransferResult result);
}
