/** Makes the tables and charts of {@code docs/performance.md} from the data in {@code docs/results/performance}. */
@NullMarked
package dev.millrace.pages;

import org.jspecify.annotations.NullMarked;
