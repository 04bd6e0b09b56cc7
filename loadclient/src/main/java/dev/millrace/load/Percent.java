package dev.millrace.load;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Takes 10 and 10% for the same. */
final class Percent implements ITypeConverter<Double> {

    @Override
    public Double convert(String text) {
        double value;
        try {
            value = Double.parseDouble(text.strip().replaceFirst("%$", ""));
        } catch (NumberFormatException e) {
            throw new TypeConversionException("per cent, not " + text);
        }
        if (!(value >= 0)) {
            throw new TypeConversionException("not negative, not " + text);
        }
        return value;
    }
}
