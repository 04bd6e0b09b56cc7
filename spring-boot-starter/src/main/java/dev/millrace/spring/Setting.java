package dev.millrace.spring;

import java.util.function.Consumer;

/** Sets what a property of an application says. */
final class Setting {
    private Setting() {}

    /**
     * @param property without its prefix
     * @param value what it says
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
