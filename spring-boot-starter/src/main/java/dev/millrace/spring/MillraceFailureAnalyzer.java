package dev.millrace.spring;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Shows why the application did not start, and what to do about it. */
final class MillraceFailureAnalyzer extends AbstractFailureAnalyzer<MillraceConfigurationException> {
    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, MillraceConfigurationException cause) {
        return new FailureAnalysis(cause.getMessage(), cause.action(), cause);
    }
}
