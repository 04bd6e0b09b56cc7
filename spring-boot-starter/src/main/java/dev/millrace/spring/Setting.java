package dev.millrace.spring;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.springframework.util.unit.DataSize;

/** Sets values of an application's properties. Stateless. */
final class Setting {
    private static final Duration LONGEST = Duration.ofMillis(Long.MAX_VALUE);

    private Setting() {}

    /**
     * Passes a value to a setter.
     *
     * @param property its name without the prefix
     * @param value its value
     * @throws MillraceConfigurationException for a value that is refused
     */
    static <T> void set(String property, T value, Consumer<T> setter) {
        try {
            setter.accept(value);
        } catch (IllegalArgumentException x) {
            throw refused(property, value, x.getMessage(), x);
        }
    }

    /** Passes a size to a setter of bytes. */
    static void setBytes(String property, DataSize size, IntConsumer setter) {
        if (size.toBytes() > Integer.MAX_VALUE) {
            throw refused(property, size, "it is at most " + Integer.MAX_VALUE + " bytes", null);
        }
        int bytes = (int) Math.max(size.toBytes(), Integer.MIN_VALUE);
        set(property, size, value -> setter.accept(bytes));
    }

    /** Passes a time to a setter of milliseconds, by which it is also told. */
    static void setMillis(String property, Duration time, LongConsumer setter) {
        if (time.compareTo(LONGEST) > 0) {
            throw refused(property, time, "it is at most " + Long.MAX_VALUE + "ms", null);
        }
        long millis = TimeUnit.MILLISECONDS.convert(time);
        set(property, millis + "ms", value -> setter.accept(millis));
    }

    private static MillraceConfigurationException refused(
            String property, Object value, @Nullable String reason, @Nullable Throwable cause) {
        return new MillraceConfigurationException(
                "The property millrace." + property + " cannot be " + value + ": " + reason + ".",
                "Correct the value of millrace." + property + ", or remove it for the default.",
                cause);
    }
}
