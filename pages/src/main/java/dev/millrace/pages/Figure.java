package dev.millrace.pages;

import java.math.BigDecimal;
import java.math.RoundingMode;

/**
 * One measured figure. Immutable.
 *
 * @param value as it was recorded; the median where a figure has several rounds; empty where a run kept only the least
 *     and the most
 * @param unit  of the value; empty for a ratio or a count
 */
record Figure(String run, String value, String unit) {
    /** With commas between thousands, for a reader. */
    String shown() {
        return withCommas(value);
    }

    /** As {@link #shown}, with the unit, from which no line break separates it. */
    String shownWithUnit() {
        return unit.isEmpty() ? shown() : shown() + "\u00a0" + unit;
    }

    BigDecimal number() {
        return new BigDecimal(value);
    }

    /** This figure as a multiple of another of the same run, rounded to two places. */
    Figure dividedBy(Figure other) {
        return new Figure(
                run, number().divide(other.number(), 2, RoundingMode.HALF_UP).toPlainString(), "");
    }

    private static String withCommas(String number) {
        int point = number.indexOf('.');
        String whole = point < 0 ? number : number.substring(0, point);
        return whole.replaceAll("(?<=\\d)(?=(\\d{3})+$)", ",") + number.substring(whole.length());
    }
}
