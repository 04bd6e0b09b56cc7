package dev.millrace.jetty;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.function.BooleanSupplier;
import org.eclipse.jetty.server.HttpStream;
import org.jspecify.annotations.Nullable;

/**
 * A stream of HTTP/1.1 whose content a thread that fails its request leaves to others. Jetty has that thread discard what is left. A
 * thread of the application's may read it, or discard it, at that moment: both would give one buffer back (Jetty 12.1.12). The one that
 * completes the request discards it in any case.
 *
 * <p>A proxy of the JDK's, and not one of Jetty's wrappers: those pass on what is kept back here.
 *
 * @param isFailing whether the current thread fails the request
 */
record LeftContent(HttpStream stream, BooleanSupplier isFailing) implements InvocationHandler {
    static HttpStream around(HttpStream stream, BooleanSupplier isFailing) {
        return (HttpStream) Proxy.newProxyInstance(
                HttpStream.class.getClassLoader(),
                new Class<?>[] {HttpStream.class},
                new LeftContent(stream, isFailing));
    }

    /** @return what is around a stream; null when nothing is */
    static @Nullable LeftContent of(HttpStream stream) {
        return stream instanceof Proxy && Proxy.getInvocationHandler(stream) instanceof LeftContent left ? left : null;
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
        if (method.getName().equals("consumeAvailable") && isFailing.getAsBoolean()) {
            return HttpStream.CONTENT_NOT_CONSUMED;
        }
        try {
            return method.invoke(stream, arguments);
        } catch (InvocationTargetException x) {
            throw x.getTargetException();
        }
    }
}
