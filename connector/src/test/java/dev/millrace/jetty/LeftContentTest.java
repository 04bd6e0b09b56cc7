package dev.millrace.jetty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.eclipse.jetty.server.HttpStream;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Invocable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Behaves as the stream below it, but for one call by one thread. */
@Timeout(60)
class LeftContentTest {
    private final List<String> calls = new ArrayList<>();
    private final HttpStream stream = (HttpStream) Proxy.newProxyInstance(
            HttpStream.class.getClassLoader(), new Class<?>[] {HttpStream.class}, (proxy, method, arguments) -> {
                calls.add(method.getName());
                return none(method.getReturnType());
            });

    private static Object none(Class<?> type) {
        return type == long.class ? (Object) 0L : type == boolean.class ? (Object) false : null;
    }

    /** Those of a stream; what a callback has beside, it makes of these. */
    static List<Method> methods() {
        return Arrays.stream(HttpStream.class.getMethods())
                .filter(method -> !Modifier.isStatic(method.getModifiers()))
                .filter(method -> method.getDeclaringClass() != Callback.class
                        || List.of("succeeded", "failed").contains(method.getName()))
                .filter(method -> method.getDeclaringClass() != Invocable.class)
                .toList();
    }

    @ParameterizedTest
    @MethodSource("methods")
    void passesEachCallOn(Method method) throws Exception {
        Object[] arguments = Arrays.stream(method.getParameterTypes())
                .map(LeftContentTest::none)
                .toArray();
        method.invoke(LeftContent.around(stream, () -> false), arguments);
        assertEquals(List.of(method.getName()), calls);
    }

    @Test
    void keepsTheContentFromAThreadThatFailsTheRequest() {
        assertNotNull(LeftContent.around(stream, () -> true).consumeAvailable());
        assertEquals(List.of(), calls);
    }

    @Test
    void leavesItToAnyOther() {
        assertNull(LeftContent.around(stream, () -> false).consumeAvailable());
        assertSame(stream, LeftContent.of(LeftContent.around(stream, () -> false)).stream());
        assertNull(LeftContent.of(stream));
    }
}
