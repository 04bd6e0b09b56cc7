package dev.millrace.spring;

import java.util.function.Consumer;

/** Sets values of an application's properties. Stateless. */
final class Setting {
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
        } catch (IllegalArgumentException | ArithmeticException x) {
            throw new MillraceConfigurationException(
                    "The property millrace." + property + " cannot be " + value + ": " + x.getMessage() + ".",
                    "Correct the value of millrace." + property + ", or remove it for the default.",
                    x);
        }
    }
}
