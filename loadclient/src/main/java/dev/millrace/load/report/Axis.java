package dev.millrace.load.report;

import java.util.ArrayList;
import java.util.List;

/** A vertical scale from zero to a round number that holds the largest value. Immutable. */
final class Axis {

    private static final int STEPS = 5;
    private final double top;
    private final double step;
    private final double pixelTop;
    private final double pixelBottom;

    Axis(double largest, double pixelTop, double pixelBottom) {
        double rough = (largest <= 0 ? 1 : largest) / STEPS;
        double power = Math.pow(10, Math.floor(Math.log10(rough)));
        double mantissa = rough / power;
        this.step = power * (mantissa <= 1 ? 1 : mantissa <= 2 ? 2 : mantissa <= 5 ? 5 : 10);
        this.top = Math.ceil((largest <= 0 ? 1 : largest) / step) * step;
        this.pixelTop = pixelTop;
        this.pixelBottom = pixelBottom;
    }

    double y(double value) {
        return pixelBottom - value / top * (pixelBottom - pixelTop);
    }

    List<Double> ticks() {
        List<Double> ticks = new ArrayList<>();
        for (int i = 0; i * step <= top * (1 + 1e-9); i++) {
            ticks.add(i * step);
        }
        return ticks;
    }
}
