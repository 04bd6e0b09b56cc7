package dev.millrace.uuid;

/** A request is wrong, and the client gets the reason. A stack trace would not help, so that there is none. */
final class RefusedException extends Exception {
    private static final long serialVersionUID = 1;

    private final transient Refusal refusal;

    RefusedException(RefusalReason reason, String message) {
        this(new Refusal(reason, message, 0, 0));
    }

    RefusedException(Refusal refusal) {
        super(refusal.message(), null, false, false);
        this.refusal = refusal;
    }

    Refusal refusal() {
        return refusal;
    }

    /** The same refusal with its place in the request document. */
    RefusedException at(int line, int column) {
        return new RefusedException(new Refusal(refusal.reason(), refusal.message(), line, column));
    }
}
