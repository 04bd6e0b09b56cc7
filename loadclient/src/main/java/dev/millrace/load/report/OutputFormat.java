package dev.millrace.load.report;

/** The formats that a run is written in. */
public enum OutputFormat {
    /** {@code cells.txt}, the lines of standard output: one per cell, over all its repetitions. */
    TEXT,
    /** {@code run.json}, from which all other formats can be made. */
    JSON,
    /** {@code cells.csv}, a row per cell and repetition. */
    CSV,
    /** {@code report.html}, for people. */
    HTML,
    /** {@code latency.hlog}, HdrHistogram's log, with a tagged interval per cell. */
    HLOG,
    /** {@code hgrm/*.hgrm}, percentile distributions. */
    HGRM
}
