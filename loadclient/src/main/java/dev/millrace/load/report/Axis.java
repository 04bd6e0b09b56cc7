package dev.millrace.load.report;

import java.util.ArrayList;
import java.util.List;

/**
 * A vertical scale from zero to a round number above the largest value. When values differ by more than a factor of a
 * hundred, the scale is logarithmic. Immutable.
 */
final class Axis {

    private static final int STEPS = 5;
    private static final double MOST_LINEAR = 100;

    private final boolean logarithmic;
    private final double bottom;
    private final double top;
    private final double step;
    private final double pixelTop;
    private final double pixelBottom;

    /** A scale for values from the smallest above zero to the largest. */
    Axis(double smallest, double largest, double pixelTop, double pixelBottom) {
        double most = largest > 0 ? largest : 1;
        this.logarithmic = smallest > 0 && most / smallest > MOST_LINEAR;
        if (logarithmic) {
            this.bottom = Math.pow(10, Math.floor(Math.log10(smallest)));
            this.top = Math.pow(10, Math.ceil(Math.log10(most)));
            this.step = 10;
        } else {
            double rough = most / STEPS;
            double power = Math.pow(10, Math.floor(Math.log10(rough)));
            double mantissa = rough / power;
            this.step = power * (mantissa <= 1 ? 1 : mantissa <= 2 ? 2 : mantissa <= 5 ? 5 : 10);
            this.bottom = 0;
            this.top = Math.ceil(most / step) * step;
        }
        this.pixelTop = pixelTop;
        this.pixelBottom = pixelBottom;
    }

    boolean isLogarithmic() {
        return logarithmic;
    }

    double y(double value) {
        double share =
                logarithmic ? Math.log10(Math.max(value, bottom) / bottom) / Math.log10(top / bottom) : value / top;
        return pixelBottom - share * (pixelBottom - pixelTop);
    }

    List<Double> ticks() {
        List<Double> ticks = new ArrayList<>();
        if (logarithmic) {
            for (double tick = bottom; tick <= top * 1.001; tick *= step) {
                ticks.add(tick);
            }
            return ticks;
        }
        for (int i = 0; i * step <= top * (1 + 1e-9); i++) {
            ticks.add(i * step);
        }
        return ticks;
    }
}
