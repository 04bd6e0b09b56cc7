package dev.millrace.uuid;

/** The request is wrong, and the peer can be told why. It carries no stack trace: the fault is not in this code. */
final class RefusedException extends Exception {
    private static final long serialVersionUID = 1;

    private final transient Refusal refusal;

    RefusedException(Fault fault, String message) {
        this(new Refusal(fault, message, 0, 0));
    }

    RefusedException(Refusal refusal) {
        super(refusal.message(), null, false, false);
        this.refusal = refusal;
    }

    Refusal refusal() {
        return refusal;
    }

    /** The same refusal, at a place in the request document. */
    RefusedException at(int line, int column) {
        return new RefusedException(new Refusal(refusal.fault(), refusal.message(), line, column));
    }
}
