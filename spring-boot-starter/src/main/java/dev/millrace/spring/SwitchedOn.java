package dev.millrace.spring;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * A switch that is on unless it is false, read as {@link MillraceProperties} are bound. So "yes", "on" and "1" are true, and what is
 * neither true nor false is refused. Spring Boot's own condition takes all of these for false.
 */
abstract class SwitchedOn implements Condition {
    private final String property;

    private SwitchedOn(String property) {
        this.property = property;
    }

    @Override
    public final boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
        return Binder.get(context.getEnvironment())
                .bind(property, Boolean.class)
                .orElse(true);
    }

    static final class Millrace extends SwitchedOn {
        Millrace() {
            super("millrace.enabled");
        }
    }

    static final class Files extends SwitchedOn {
        Files() {
            super("millrace.files.enabled");
        }
    }
}
