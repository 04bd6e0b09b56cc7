package dev.millrace.spring;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Tells how to mend what kept the application from starting. */
final class MillraceFailureAnalyzer extends AbstractFailureAnalyzer<MillraceConfigurationException> {
    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, MillraceConfigurationException cause) {
        return new FailureAnalysis(cause.getMessage(), cause.action(), cause);
    }
}
