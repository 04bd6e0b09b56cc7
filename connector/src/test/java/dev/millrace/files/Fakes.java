package dev.millrace.files;

import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.Map;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.ConnectionMetaData;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;

/** What stands for a response, and for the connection that it is of. */
final class Fakes {
    private Fakes() {}

    /** What a method does with its arguments. */
    interface Method {
        Object call(Object[] arguments) throws Throwable;
    }

    /** @param methods by their names; all others do nothing, and answer null */
    static <T> T of(Class<T> type, Map<String, Method> methods) {
        return type.cast(Proxy.newProxyInstance(
                Fakes.class.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) ->
                        methods.getOrDefault(method.getName(), ignored -> null).call(arguments)));
    }

    /** @param more what it does besides saying where it leads to */
    static Response response(HttpVersion version, EndPoint endPoint, Map<String, Method> more) {
        Connection connection = of(Connection.class, Map.of("getEndPoint", ignored -> endPoint));
        ConnectionMetaData meta = of(
                ConnectionMetaData.class,
                Map.of("getHttpVersion", ignored -> version, "getConnection", ignored -> connection));
        Request request = of(Request.class, Map.of("getConnectionMetaData", ignored -> meta));
        Map<String, Method> methods = new HashMap<>(more);
        methods.put("getRequest", ignored -> request);
        return of(Response.class, methods);
    }
}
