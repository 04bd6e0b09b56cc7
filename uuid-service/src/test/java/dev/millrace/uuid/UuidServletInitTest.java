package dev.millrace.uuid;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import jakarta.servlet.ServletConfig;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import java.util.Collections;
import java.util.Enumeration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UuidServletInitTest {
    @Test
    void limitsAreOptional() {
        assertDoesNotThrow(() -> new UuidServlet().init(new Config(Map.of())));
        assertDoesNotThrow(() -> new UuidServlet().init(new Config(Map.of("maxUuids", "1", "maxBodyBytes", "1"))));
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "x", "", "1000000000", "1k"})
    void limitsArePositiveNumbers(String wrong) {
        for (String name : new String[] {"maxUuids", "maxBodyBytes"}) {
            ServletException e =
                    assertThrows(ServletException.class, () -> new UuidServlet().init(new Config(Map.of(name, wrong))));
            assertEquals("init parameter " + name + " must be a positive number: " + wrong, e.getMessage());
        }
    }

    private record Config(Map<String, String> parameters) implements ServletConfig {
        @Override
        public String getServletName() {
            return "uuid";
        }

        @Override
        public ServletContext getServletContext() {
            return null;
        }

        @Override
        public String getInitParameter(String name) {
            return parameters.get(name);
        }

        @Override
        public Enumeration<String> getInitParameterNames() {
            return Collections.enumeration(parameters.keySet());
        }
    }
}
