package dev.millrace.files;

/**
 * A thread's interrupt, kept from what the thread does meanwhile: it is meant for the application, and the JDK closes a channel
 * that a thread with an interrupt uses, for all who use it.
 */
final class Interrupt implements AutoCloseable {
    private static final Interrupt HELD = new Interrupt();

    private Interrupt() {
    }

    /** @return gives the interrupt back when it is closed; null when there is none */
    static Interrupt hold() {
        return Thread.interrupted() ? HELD : null;
    }

    @Override
    public void close() {
        Thread.currentThread().interrupt();
    }
}
