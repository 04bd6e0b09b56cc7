/** Makes the tables and charts of {@code docs/performance.md} from the data in {@code docs/results/performance}. */
package dev.millrace.pages;
