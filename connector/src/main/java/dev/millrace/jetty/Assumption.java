package dev.millrace.jetty;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.Callable;
import org.eclipse.jetty.util.Jetty;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Looks whether this Jetty is as it is assumed to be. Thread-safe. */
final class Assumption {
    private static final Logger LOG = LoggerFactory.getLogger(Assumption.class);

    private Assumption() {}

    /**
     * Looks whether something holds for this Jetty, and warns if not.
     *
     * @param fact may say no by an exception, too
     * @param instead what is done then
     */
    static boolean holds(Callable<Boolean> fact, String instead) {
        return lookFor(() -> fact.call() ? true : null, instead) != null;
    }

    /**
     * Looks for something of this Jetty, and warns if it is not there.
     *
     * @param fact may say no by null or an exception
     * @param instead what is done then
     */
    static <T> @Nullable T lookFor(Callable<@Nullable T> fact, String instead) {
        Object failure = "not as expected";
        try {
            T found = fact.call();
            if (found != null) {
                return found;
            }
        } catch (Exception | LinkageError x) {
            // What Jetty does not export to a named module is an IllegalAccessError.
            failure = x;
        }
        LOG.warn("Jetty {} is not as Millrace knows it ({}): {}", Jetty.VERSION, failure, instead);
        return null;
    }

    static void find(Class<?> type, Class<?> result, String... getters) throws ReflectiveOperationException {
        for (String getter : getters) {
            MethodHandles.lookup().findVirtual(type, getter, MethodType.methodType(result));
        }
    }

    static boolean isClassThere(String name) {
        try {
            Class.forName(name, false, Assumption.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException x) {
            LOG.debug("Without {}", name);
            return false;
        }
    }
}
